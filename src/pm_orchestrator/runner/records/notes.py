"""The evidence of one run: every operation is taken down here, and its id is known after."""

from collections.abc import Callable, Mapping

from typing_extensions import override

from pm_orchestrator.domain.tasks.evidence_record import Artifact, Evidence
from pm_orchestrator.domain.tasks.run_ids import RunIds
from pm_orchestrator.ports.recorder import RUNNER, Operation, Recorder


class Notes(Recorder):
    """Records for one task and tells its log of each new id, whatever the task ends with."""

    def __init__(
        self,
        recorder: Recorder,
        run: RunIds,
        tell: Callable[[str], None],
    ) -> None:
        self._recorder = recorder
        self._run = run
        self._tell = tell
        self._hashes: dict[str, str] = {}

    @property
    def ids(self) -> tuple[str, ...]:
        """What was recorded so far, oldest first."""
        return tuple(self._hashes)

    @property
    def hashes(self) -> Mapping[str, str]:
        """The same with the hash of each, as nobody can have altered it."""
        return self._hashes

    async def __call__(
        self, kind: str, raw: str, *artifacts: Artifact, by: str = RUNNER
    ) -> Evidence:
        """Take down one operation: its kind, everything seen, and who did it."""
        return await self.record(
            Operation(
                type=kind,
                raw=raw,
                session_id=self._run.session_id,
                task_id=self._run.task_id,
                artifacts=artifacts,
                executor_id=by,
            )
        )

    @override
    async def record(self, operation: Operation) -> Evidence:
        evidence = await self._recorder.record(operation)
        self._hashes[evidence.evidence_id] = evidence.hash
        self._tell(evidence.evidence_id)
        return evidence
