"""Is there anything in a file, and is it still what it was before it moved? Pure."""

import unicodedata
from collections import Counter

from pm_orchestrator.domain.late_pattern import LateBytesPattern

INVISIBLE = frozenset({"Cc", "Cf", "Zs", "Zl", "Zp", "Mn", "Me", "Cn"})
"""Kinds of characters that show nothing by themselves."""
BLANK_LETTERS = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Letters and signs whose picture is empty."""
KEPT = 2 / 3
"""Of the words of a file that was moved, and perhaps adapted to its new place."""
# Scripts without spaces are compared letter by letter.
WORD = LateBytesPattern(rb"\w+|[\xc0-\xff][\x80-\xbf]*")
MARKS = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}


def is_blank(content: bytes) -> bool:
    """Whether nobody could see anything in it: spaces, line breaks, invisible characters."""
    try:
        text = content.decode(MARKS.get(content[:2], "utf-8"))
    except UnicodeDecodeError:
        return False
    # Zero bytes are data, and no text at all.
    if "\0" in text:
        return False
    return all(c in BLANK_LETTERS or unicodedata.category(c) in INVISIBLE for c in text)


def is_same_content(before: bytes, after: bytes) -> bool:
    """Whether a moved file holds what it held, up to what the move made necessary."""
    if before == after:
        return True
    words = Counter(WORD.findall(before))
    if not words:
        return before in after
    kept = words & Counter(WORD.findall(after))
    return kept.total() >= KEPT * words.total() or _one_line_differs(before, after)


def _one_line_differs(before: bytes, after: bytes) -> bool:
    """Whether all but one of several lines are there, and another one for it."""
    old, new = Counter(_seen_lines(before)), Counter(_seen_lines(after))
    return old.total() > 1 and new.total() >= old.total() and (old - new).total() == 1


def adds_nothing(before: bytes, after: bytes) -> bool:
    """Whether only blank lines came or went."""
    return _seen_lines(before) == _seen_lines(after)


def _seen_lines(content: bytes) -> list[bytes]:
    return [line.rstrip() for line in content.splitlines() if not is_blank(line)]
