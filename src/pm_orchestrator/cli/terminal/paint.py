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
    PLACE = "36"


COLOURS = frozenset({Paint.GOOD, Paint.BAD, Paint.PLACE})
PaintOf = Callable[[str], Paint | None]
"""How one line of a page is set off."""


def painted(text: str, paint_of: PaintOf, variables: Mapping[str, str]) -> str:
    """Every line as the terminal and the person want it (`TERM`, `NO_COLOR`)."""
    if variables.get("TERM", "") in PLAIN_TERMINALS:
        return text
    colours = not variables.get("NO_COLOR")

    def line_painted(line: str) -> str:
        paint = paint_of(line)
        if not line or paint is None or (paint in COLOURS and not colours):
            return line
        return f"\x1b[{paint}m{line}\x1b[0m"

    return "\n".join(map(line_painted, text.split("\n")))
