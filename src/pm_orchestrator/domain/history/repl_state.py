"""What the REPL remembers between starts, and the moves between tasks."""

from datetime import datetime
from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.record import Record
from pm_orchestrator.domain.setup.providers import DEFAULT_PROVIDER, Provider


class ReplState(Record, frozen=True, kw_only=True):
    """`.claude/repl.json`: exactly these five fields."""

    selected_provider: Provider | None = None
    selected_model: Annotated[str, Meta(min_length=1)] | None = None
    updated_at: str | None = None
    current_task_id: str | None = None
    last_task_id: str | None = None

    def problem(self) -> str | None:
        """Why this cannot be a true state; None when it can."""
        if self.current_task_id is not None and self.current_task_id == self.last_task_id:
            return "a task cannot be running and ended at the same time"
        if self.selected_model is not None and not self.selected_model.strip():
            return "selected_model is blank"
        if self.updated_at is not None and not _is_time(self.updated_at):
            return "updated_at is no ISO 8601 time"
        return None

    @property
    def provider(self) -> Provider:
        """The selected provider, or the one that is used where none is."""
        return self.selected_provider or DEFAULT_PROVIDER

    def with_provider(self, provider: Provider, now: str) -> "ReplState":
        """Another provider; a model belongs to its provider, so it goes when that changes."""
        model = self.selected_model if provider == self.provider else None
        return replace(self, selected_provider=provider, selected_model=model, updated_at=now)

    def with_model(self, model: str, now: str) -> "ReplState":
        """Another model."""
        return replace(self, selected_model=model, updated_at=now)

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


class StatesOfRunning(Record, frozen=True, kw_only=True):
    """The copy outside of the project while a task runs: the file is one of these, or altered."""

    states: Annotated[tuple[ReplState, ...], Meta(min_length=1)]
    """The one that was being written last is the last; the write may not have come to its end."""

    @property
    def running(self) -> bool:
        """Whether it still counts; between tasks a person may edit the file by hand."""
        return self.states[-1].current_task_id is not None


def _is_time(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True
