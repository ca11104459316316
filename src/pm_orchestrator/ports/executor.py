"""Whoever does a task: a coding CLI, or the tool loop over a chat model."""

from pathlib import Path
from typing import Protocol

import msgspec

from pm_orchestrator.domain.outcome import ExecutorClaim


class ExecutorTask(msgspec.Struct, frozen=True, kw_only=True):
    """One piece of work for an executor."""

    task_id: str
    instruction: str
    project: Path
    timeout_s: float
    model: str | None = None


class Executor(Protocol):
    """Does a task and says what it did.

    Whatever it says is a claim. It raises PmError E503 when it cannot start,
    E504 when its output cannot be followed.
    """

    @property
    def name(self) -> str: ...

    async def problem(self) -> str | None:
        """Why it cannot be used here, with the cure; None when it is ready."""
        ...

    async def execute(self, task: ExecutorTask) -> ExecutorClaim: ...
