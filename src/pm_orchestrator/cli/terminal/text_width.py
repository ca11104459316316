"""Text on lines of a terminal: cut or wrapped to its width, and nothing in it that steers it."""

from pm_orchestrator.cli.terminal.text_table import display_width

SEPARATOR = " · "


def cut_to_width(text: str, width: int) -> str:
    """The text on one line of at most `width` cells, with a mark where some is missing."""
    line = plain_line(text)
    if display_width(line) <= width:
        return line
    return f"{line[: _fitting(line, width - 1)]}…"


def wrapped(line: str, width: int) -> list[str]:
    """The line in pieces of at most `width` cells, between words where there are any."""
    rest = plain_line(line)
    pieces: list[str] = []
    while display_width(rest) > width:
        fits = _fitting(rest, width)
        # A word that fills half a line is rather cut than moved.
        space = rest.rfind(" ", fits // 2, fits + 1)
        at = fits if space < 0 else space
        pieces.append(rest[:at])
        rest = rest[at:].removeprefix(" ")
    return [*pieces, rest]


def plain_line(text: str) -> str:
    """The text without what a terminal obeys."""
    return "".join(c if c.isprintable() else " " for c in text)


def _fitting(text: str, width: int) -> int:
    """How many characters take at most `width` cells; at least one."""
    used = 0
    for number, character in enumerate(text):
        used += display_width(character)
        if used > width:
            return max(1, number)
    return len(text)
