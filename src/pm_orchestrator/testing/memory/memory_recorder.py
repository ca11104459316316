"""A recorder that keeps operations in memory, so that a test can read what was taken down."""

from typing_extensions import override

from pm_orchestrator.domain.tasks.evidence_record import Evidence
from pm_orchestrator.domain.tasks.run_ids import RunIds
from pm_orchestrator.ports.recorder import Operation, Recorder
from pm_orchestrator.runner.records.notes import Notes


class MemoryRecorder(Recorder):
    """Every operation, in order."""

    def __init__(self) -> None:
        self.operations: list[Operation] = []

    @override
    async def record(self, operation: Operation) -> Evidence:
        self.operations.append(operation)
        return Evidence(
            evidence_id=f"evidence-{len(self.operations)}",
            timestamp="",
            operation_type=operation.type,
            artifacts=operation.artifacts,
            hash="",
            raw_logs="",
            atomic_operation=True,
            raw_evidence_refs=(),
            integrity_validated=True,
            contains_sensitive_data=False,
        )

    @property
    def lines(self) -> list[str]:
        """What was taken down: the kind, and all that was seen."""
        return [f"{operation.type}: {operation.raw}" for operation in self.operations]

    def notes(self) -> Notes:
        """The notes of a task that go in here."""
        run = RunIds(session_id="session-1", task_id="task-1", run_id="run_001")
        return Notes(self, run, lambda _: None)
