"""Taking down what was done, once per operation, before anything is built on it."""

from typing import Protocol

import msgspec

from pm_orchestrator.domain.tasks.evidence_record import Artifact, Evidence

RUNNER = "runner"
"""Does whatever nobody else is named for."""
PERSON = "person"


class Operation(msgspec.Struct, frozen=True, kw_only=True):
    """One logical operation that has just happened."""

    type: str
    """A word such as `phase_entered`, `gate_run`, `model_exchange`, `merge`."""
    raw: str
    """Everything seen, unmasked; masking happens on the way out."""
    session_id: str
    task_id: str
    artifacts: tuple[Artifact, ...] = ()
    executor_id: str | None = RUNNER
    """Who did it."""


class Recorder(Protocol):
    """Makes evidence. When `record` returns, the evidence is on disk.

    Raises:
        PmError: E301 when it cannot be written; the operation then has no proof.
    """

    async def record(self, operation: Operation) -> Evidence: ...
