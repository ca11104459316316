"""The facts behind a verdict, kept beside the log so that the verdict can be given again.

One file per run of a task, never rewritten; the evidence of the verdict names it by its
hash, so facts that somebody altered afterwards are found out before they are used.
"""

import hashlib
from pathlib import Path

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.ids import safe_name
from pm_orchestrator.domain.judging.outcome import ExecutorClaim, Facts
from pm_orchestrator.domain.record import from_json, to_file
from pm_orchestrator.domain.tasks.evidence_record import Artifact
from pm_orchestrator.domain.tasks.run_ids import RunIds
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.evidence.masking.redaction import redact
from pm_orchestrator.ports.store import DurableFiles


class TaskFacts(RunIds, frozen=True, kw_only=True):
    """`logs/sessions/<session>/facts/<task>.<run>.json`."""

    facts: Facts
    claim: ExecutorClaim | None


class FactsBook:
    """The facts of all finished tasks, below `claude_dir`."""

    def __init__(self, files: DurableFiles, claude_dir: Path, masker: Masker) -> None:
        self._files = files
        self._claude_dir = claude_dir
        self._masker = masker

    async def keep(self, found: TaskFacts) -> Artifact:
        """Write the facts down; the evidence of the verdict names them by this artifact."""
        path = self._path(found)
        data = to_file(redact(found, self._masker))
        try:
            await self._files.create(path, data)
        except FileExistsError as error:
            # A step that was cut off is done again, and finds the same.
            if self._files.read(path) != data:
                # Only somebody else can have put it there: a run has one verdict.
                reason = "it was there before the verdict"
                raise PmError("evidence_invalid", evidence=path.name, reason=reason) from error
        ref = path.relative_to(self._claude_dir).as_posix()
        return Artifact(kind="record", ref=ref, sha256=hashlib.sha256(data).hexdigest())

    def read(self, run: RunIds) -> TaskFacts:
        """The facts of a task's run.

        Raises:
            PmError: E303 when there are none, E302 when they are not what they should be.
        """
        path = self._path(run)
        try:
            found = from_json(TaskFacts, self._files.read(path), path.name)
        except FileNotFoundError as error:
            raise PmError("artifacts_missing", path=path, evidence=run.task_id) from error
        same = (run.session_id, run.task_id, run.run_id)
        if (found.session_id, found.task_id, found.run_id) != same:
            raise PmError("evidence_invalid", evidence=path.name, reason="it is of another task")
        return found

    def _path(self, run: RunIds) -> Path:
        name = f"{safe_name(run.task_id, 'task')}.{safe_name(run.run_id, 'run')}.json"
        folder = self._claude_dir / "logs" / "sessions" / safe_name(run.session_id, "session")
        return folder / "facts" / name
