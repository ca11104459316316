"""The turns of an attempt, kept while it goes on: what a crash must not cost."""

from pm_orchestrator.domain.company.model_conversation import ChatReply, ToolCallRecord
from pm_orchestrator.domain.record import Record


class KeptTurn(Record, frozen=True, kw_only=True):
    """A line of `workers/<sub-task>/<attempt>/turns.jsonl`.

    It is a beginning, an answer of the model, or what the calls in that answer came to.
    """

    first: str | None = None
    """What the model was told first."""
    laid_out: str | None = None
    """The commit whose files lay in the workspace, uncommitted, before the first turn."""
    reply: ChatReply | None = None
    masked: bool = False
    """A secret was taken out of it: it says no longer exactly what was said."""
    calls: tuple[ToolCallRecord, ...] | None = None
    state: str | None = None
    """The commit that holds the whole workspace as it was after these calls."""
    seconds: int = 0
    """How long the attempt had taken by then."""
