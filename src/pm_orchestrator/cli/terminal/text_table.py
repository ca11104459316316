"""Columns of text that line up on a terminal, where some characters take two cells."""

import unicodedata
from collections.abc import Sequence

WIDE = frozenset("WF")


def display_width(text: str) -> int:
    """How many cells of a terminal the text takes."""
    return sum(_cells(character) for character in text)


def _cells(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in WIDE else 1


def padded(text: str, width: int) -> str:
    """The text, filled with spaces to `width` cells."""
    return text + " " * (width - display_width(text))


def cut(text: str, width: int) -> str:
    """The text in at most `width` cells; what was cut off leaves an ellipsis."""
    if display_width(text) <= width:
        return text
    kept: list[str] = []
    taken = 0
    for character in text:
        taken += _cells(character)
        if taken > width - 1:
            break
        kept.append(character)
    return "".join(kept) + "…"


def table(heading: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of a table with a rule below its heading, indented by two."""
    everything = [heading, *rows]
    widths = [max(map(display_width, column)) for column in zip(*everything, strict=True)]
    lines = [
        "  " + " | ".join(padded(c, w) for c, w in zip(row, widths, strict=True)).rstrip()
        for row in everything
    ]
    rule = "  " + "-|-".join("-" * width for width in widths)
    return [lines[0], rule, *lines[1:]]
