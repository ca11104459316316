"""A recorder that tells the task's log which evidence it made, whatever the task ends with."""

from collections.abc import Callable

from typing_extensions import override

from pm_orchestrator.domain.evidence import Evidence
from pm_orchestrator.ports.recorder import Operation, Recorder


class ToldRecorder(Recorder):
    """Records with `recorder` and calls whoever `tell` named last with each new id."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._listener: Callable[[str], None] | None = None

    def tell(self, listener: Callable[[str], None]) -> None:
        self._listener = listener

    @override
    async def record(self, operation: Operation) -> Evidence:
        evidence = await self._recorder.record(operation)
        if self._listener is not None:
            self._listener(evidence.evidence_id)
        return evidence
