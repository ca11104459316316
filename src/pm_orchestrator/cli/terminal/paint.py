"""How a line is set off on a terminal: by weight, or by a colour that shows on any background.

Nothing is told by it alone: what is painted says the same in plain words.
"""

from collections.abc import Callable, Mapping
from enum import StrEnum

PLAIN_TERMINALS = frozenset({"", "dumb"})


class Paint(StrEnum):
    """The ways, as a terminal is asked for them."""

    DIM = "2"
    STRONG = "1"
    GOOD = "32"
    BAD = "31"
    OPEN = "35"
    """Neither: a person has to look."""
    PLACE = "36"


COLOURS = frozenset({Paint.GOOD, Paint.BAD, Paint.OPEN, Paint.PLACE})
MARKED = {"✓": Paint.GOOD, "✗": Paint.BAD, "!": Paint.OPEN}
PaintOf = Callable[[str], Paint | None]
"""How one line of a page is set off."""


def no_paint(_: str) -> Paint | None:
    """Every line as it is."""
    return None


def mark_paint(line: str) -> Paint | None:
    """By the mark that it begins with."""
    mark, _, rest = line.lstrip(" ").partition(" ")
    return MARKED.get(mark) if rest else None


def painter(variables: Mapping[str, str]) -> Callable[[str, Paint | None], str]:
    """How text is painted, as the terminal and the person want it (`TERM`, `NO_COLOR`)."""
    plain = variables.get("TERM", "") in PLAIN_TERMINALS
    colours = not variables.get("NO_COLOR")

    def paint_text(text: str, paint: Paint | None) -> str:
        if not text or plain or paint is None or (paint in COLOURS and not colours):
            return text
        return f"\x1b[{paint}m{text}\x1b[0m"

    return paint_text
