"""What the REPL remembers between starts, how it is started, and the moves between tasks."""

from enum import StrEnum
from typing import Literal

from msgspec.structs import replace

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.record import Record

Provider = Literal["claude-code", "openai", "anthropic"]


class ReplExecutionMode(StrEnum):
    """Whether a person or a script types."""

    INTERACTIVE = "interactive"
    NON_INTERACTIVE = "non_interactive"


class ReplConfig(Record, frozen=True, kw_only=True):
    """How a REPL was started."""

    project_mode: Literal["cwd", "temp", "fixed"]
    print_project_path: bool
    non_interactive: bool
    exit_on_eof: bool
    wait: bool
    project: str | None = None
    project_root: str | None = None
    """Absolute; used in fixed mode only."""


class ReplState(Record, frozen=True, kw_only=True):
    """`.claude/repl.json`: exactly these five fields."""

    selected_provider: Provider | None = None
    selected_model: str | None = None
    updated_at: str | None = None
    current_task_id: str | None = None
    last_task_id: str | None = None

    def problem(self) -> str | None:
        """Why this cannot be a true state; None when it can."""
        if self.current_task_id is not None and self.current_task_id == self.last_task_id:
            return "a task cannot be running and ended at the same time"
        return None

    def started(self, task_id: str, now: str) -> "ReplState":
        """A task begins; the last one stays what it was.

        Raises:
            PmError: E204 when another task is running, or this one has just ended.
        """
        if self.current_task_id is not None or self.last_task_id == task_id:
            raise PmError("repl_state_move", task=task_id, current=self.current_task_id)
        return replace(self, current_task_id=task_id, updated_at=now)

    def reopened(self, task_id: str, before: str | None, now: str) -> "ReplState":
        """An ended task goes on; the last ended one is `before` again, in the same write.

        Raises:
            PmError: E204 when another task is running, or `before` is the task itself.
        """
        if self.current_task_id is not None or before == task_id:
            raise PmError("repl_state_move", task=task_id, current=self.current_task_id)
        last = before if self.last_task_id == task_id else self.last_task_id
        return replace(self, current_task_id=task_id, last_task_id=last, updated_at=now)

    def ended(self, task_id: str, now: str) -> "ReplState":
        """The running task reached its end.

        Raises:
            PmError: E204 when it was not the running one.
        """
        if self.current_task_id != task_id:
            raise PmError("repl_state_move", task=task_id, current=self.current_task_id)
        return replace(self, current_task_id=None, last_task_id=task_id, updated_at=now)
