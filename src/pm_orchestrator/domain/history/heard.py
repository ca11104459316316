"""What an executor was heard to say and do while it worked: its own word, piece by piece.

For whoever follows the work or looks at it again. It proves nothing, and nobody judges by it.
"""

from pm_orchestrator.domain.record import Record


class Said(Record, frozen=True, kw_only=True, tag_field="piece", tag="said"):
    """Something it said in words."""

    text: str


class Used(Record, frozen=True, kw_only=True, tag_field="piece", tag="used"):
    """A tool it called, and on what."""

    tool: str
    target: str = ""


class ToolFailed(Record, frozen=True, kw_only=True, tag_field="piece", tag="failed"):
    """A tool that did not do what it wanted."""

    tool: str
    why: str = ""


Heard = Said | Used | ToolFailed
