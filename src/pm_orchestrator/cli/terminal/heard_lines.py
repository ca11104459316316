"""What an executor was heard to say and do, as lines on a screen."""

from pm_orchestrator.cli.terminal.text_width import plain_line, wrapped
from pm_orchestrator.domain.history.heard import Heard, Said, ToolFailed, Used

INDENT = "  "
MOST_LINES = 40
"""Of one piece; whoever wants the rest finds it in the log of the task."""


def heard_lines(piece: Heard, width: int | None = None) -> list[str]:
    """The piece in lines that fit the terminal; in a pipe they are as long as they are."""
    lines = [line for text in _texts(piece) for line in _fitted(text, width)]
    if len(lines) > MOST_LINES:
        lines = [*lines[:MOST_LINES], f"{INDENT}…"]
    return lines


def heard_in_brief(piece: Heard) -> str:
    """The same in one line."""
    return _texts(piece)[0].removeprefix("› ")


def _texts(piece: Heard) -> list[str]:
    match piece:
        case Said(text=text):
            return [line.rstrip() for line in text.split("\n") if line.strip()] or [""]
        case Used(tool=tool, target=target):
            return [f"› {tool} {target}".rstrip()]
        case ToolFailed(tool=tool, why=why):
            return [f"! {tool}: {why}" if why else f"! {tool}"]


def _fitted(text: str, width: int | None) -> list[str]:
    if width is None:
        return [INDENT + plain_line(text)]
    return [INDENT + part for part in wrapped(text, max(20, width - len(INDENT)))]
