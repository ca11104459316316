"""How things look: weight and reversal only, so that they show on any background.

Nothing is told by colour alone, and no colour is named that vanishes on white or on black.
"""

from prompt_toolkit.styles import Style

from pm_orchestrator.cli.terminal.text_table import display_width

STYLE = Style.from_dict(
    {
        "prompt": "bold",
        "question": "bold",
        "selected": "bold",
        "key": "bold",
        "note": "bold",
        "bottom-toolbar": "noreverse",
        "bottom-toolbar.text": "noreverse",
        "validation-toolbar": "noinherit bold",
        "completion-menu": "noinherit",
        "completion-menu.completion": "noinherit",
        "completion-menu.completion.current": "noinherit reverse",
        "completion-menu.meta.completion": "noinherit dim",
        "completion-menu.meta.completion.current": "noinherit reverse",
        "scrollbar.background": "noinherit",
        "scrollbar.button": "noinherit reverse",
    }
)
SEPARATOR = " · "


def cut_to_width(text: str, width: int) -> str:
    """The text on one line of at most `width` cells, with a mark where some is missing."""
    line = "".join(c if c.isprintable() else " " for c in text)
    if display_width(line) <= width:
        return line
    return f"{line[: _fitting(line, width - 1)]}…"


def wrapped(line: str, width: int) -> list[str]:
    """The line in pieces of at most `width` cells, between words where there are any."""
    rest = "".join(c if c.isprintable() else " " for c in line)
    pieces: list[str] = []
    while display_width(rest) > width:
        fits = _fitting(rest, width)
        # A word that fills half a line is rather cut than moved.
        space = rest.rfind(" ", fits // 2, fits + 1)
        at = fits if space < 0 else space
        pieces.append(rest[:at])
        rest = rest[at:].removeprefix(" ")
    return [*pieces, rest]


def _fitting(text: str, width: int) -> int:
    """How many characters take at most `width` cells; at least one."""
    used = 0
    for number, character in enumerate(text):
        used += display_width(character)
        if used > width:
            return max(1, number)
    return len(text)
