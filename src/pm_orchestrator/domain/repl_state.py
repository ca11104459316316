"""What the REPL remembers between starts."""

from pm_orchestrator.domain.record import Record


class ReplState(Record, frozen=True, kw_only=True):
    """`.claude/repl.json`: exactly these five fields."""

    selected_provider: str | None = None
    selected_model: str | None = None
    updated_at: str | None = None
    current_task_id: str | None = None
    last_task_id: str | None = None
