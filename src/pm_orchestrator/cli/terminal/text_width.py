"""Text on lines of a terminal: cut or wrapped to its width, and nothing in it that steers it."""

import re

from pm_orchestrator.cli.terminal.text_table import display_width

SEPARATOR = " · "
ENDING = frozenset(
    "、。，．・：；？！ー…」』）】〉》〕ぁぃぅぇぉっゃゅょァィゥェォッャュョ々%,.)]}:;!?"
)
"""What never begins a line, as Japanese is set."""
BEGINNING = frozenset("「『（【〈《〔([{")
"""What never ends one."""
KATAKANA = frozenset(map(chr, range(ord("ァ"), ord("ー") + 1)))
"""Letters of one word, as words from abroad are spelt."""

HEAD = re.compile(r" *(?:│ |(?:\[[^\]]{1,16}\]|[✓✗·→›!?-]) +)?")
"""What a line begins with before its text: a mark, a label, the bar beside what is quoted."""
BAR = "│ "


def cut_to_width(text: str, width: int) -> str:
    """The text on one line of at most `width` cells, with a mark where some is missing."""
    line = plain_line(text)
    if display_width(line) <= width:
        return line
    return f"{line[: _fitting(line, width - 1)]}…"


def wrapped(line: str, width: int) -> list[str]:
    """The line in pieces of at most `width` cells; a word is cut only if it is longer than that."""
    rest = plain_line(line)
    pieces: list[str] = []
    while display_width(rest) > width:
        fits = _fitting(rest, width)
        at = next((at for at in range(fits, 0, -1) if _may_break(rest, at)), fits)
        pieces.append(rest[:at].rstrip(" "))
        rest = rest[at:].removeprefix(" ")
    return [*pieces, rest]


def hanging(line: str, width: int) -> list[str]:
    """The line in pieces of at most `width` cells, each text below the text of the first."""
    if display_width(line) <= width:
        return [line]
    found = HEAD.match(line)
    head = "" if found is None or found.end() > width // 2 else found[0]
    below = head if head.endswith(BAR) else " " * display_width(head)
    first, *rest = wrapped(line[len(head) :], width - display_width(head))
    return [head + first, *(below + piece for piece in rest)]


def plain_line(text: str) -> str:
    """The text without what a terminal obeys."""
    return "".join(c if c.isprintable() else " " for c in text)


def _may_break(text: str, at: int) -> bool:
    """Whether a line may end before the character `at`: at a space, or between two of Japanese."""
    before, after = text[at - 1], text[at]
    if " " in {before, after}:
        return bool(text[:at].strip(" "))
    if after in ENDING or before in BEGINNING or (before in KATAKANA and after in KATAKANA):
        return False
    return 2 in {display_width(before), display_width(after)}


def _fitting(text: str, width: int) -> int:
    """How many characters take at most `width` cells; at least one."""
    used = 0
    for number, character in enumerate(text):
        used += display_width(character)
        if used > width:
            return max(1, number)
    return len(text)
