"""Changing a text by naming its old part and its new one, or by a unified diff.

What does not fit in exactly one place is refused, and then nothing is changed: guessing which
of two places was meant is how files get damaged quietly. A diff says where, so that the place
it names comes before all others; its counts are not believed, as few writers count well.
"""

import difflib
import re
from collections.abc import Iterator
from itertools import islice

import msgspec

from pm_orchestrator.domain.record import Record

HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
MOST_PLACES = 8
"""Line numbers that are named."""
COMPARISONS = 4_000_000
"""Of single characters, with the line that is most like one that was not found."""


class TextEdit(Record, frozen=True, kw_only=True):
    """Replace the one place where `old` stands by `new`."""

    old: str
    new: str


class EditRefusedError(ValueError):
    """An edit that does not fit; the text stays as it was."""


def apply_edits(text: str, edits: tuple[TextEdit, ...]) -> str:
    """Apply all edits in order, or none.

    Raises:
        EditRefusedError: an `old` is empty, absent, or stands in several places.
    """
    for number, edit in enumerate(edits, start=1):
        places = text.count(edit.old) if edit.old else 0
        if places != 1:
            why = _why_not_once(text, edit.old) if edit.old else "is empty"
            raise EditRefusedError(f"edit {number}: the old text {why}. Nothing was changed.")
        text = text.replace(edit.old, edit.new, 1)
    return text


def _why_not_once(text: str, old: str) -> str:
    first = islice(_places(text, old), MOST_PLACES)
    lines = [text.count("\n", 0, at) + 1 for at in first]
    if lines:
        count = text.count(old)
        named = ", ".join(map(str, lines)) + (", …" if count > len(lines) else "")
        where = f"stands in {count} places, not in one (lines {named})"
        return f"{where}; name more of the lines around the one you mean"
    return f"stands in 0 places, not in one{_nearest(text.split(chr(10)), old.split(chr(10)))}"


def _places(text: str, old: str) -> Iterator[int]:
    at = text.find(old)
    while at >= 0:
        yield at
        at = text.find(old, at + len(old))


def _nearest(lines: list[str], wanted: list[str]) -> str:
    """Where something like it stands, for whoever remembered it not quite."""
    bare = [line.strip() for line in wanted]
    at = next(_runs([line.strip() for line in lines], bare), None) if any(bare) else None
    if at is not None:
        return f"; line {at + 1} has it with other white space: {lines[at][:200]!r}"
    first = next((line for line in wanted if line.strip()), "")
    many = COMPARISONS // max(len(first) ** 2, 1)
    short = (line for line in dict.fromkeys(lines) if len(line) <= 2 * len(first))
    near = difflib.get_close_matches(first, islice(short, many), n=1, cutoff=0.7)
    if near:
        return f"; the nearest is line {lines.index(near[0]) + 1}: {near[0][:200]!r}"
    return "; read the file again"


def _runs(lines: list[str], wanted: list[str]) -> Iterator[int]:
    """Where these lines stand one after the other among those; numbers from zero."""
    text, run = "\n".join(("", *lines, "")), "\n".join(("", *wanted, ""))
    at, number = text.find(run), 0
    last = 0
    while at >= 0:
        number += text.count("\n", last, at)
        yield number
        last, at = at, text.find(run, at + 1)


class Hunk(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a diff: these lines become those."""

    at: int
    """The line it says it begins at; the one it comes after, where it has no old lines."""
    old: tuple[str, ...]
    new: tuple[str, ...]
    old_ends: bool = True
    """Whether its last old line ends with a newline."""
    new_ends: bool = True


def apply_diff(text: str, diff: str) -> str:
    """Apply a unified diff of one file, all of it or nothing.

    Raises:
        EditRefusedError: it is no such diff, or does not fit.
    """
    lines = text.split("\n")
    ends = lines[-1] == ""
    lines = lines[:-1] if ends else lines
    moved = 0
    for number, hunk in enumerate(hunks_of(diff), start=1):
        at = _place_of(hunk, lines, moved, number)
        last = at + len(hunk.old) == len(lines)
        lines[at : at + len(hunk.old)] = hunk.new
        moved = at + len(hunk.new) - len(hunk.old) - max(hunk.at - bool(hunk.old), 0)
        if last and not (hunk.old_ends and hunk.new_ends):
            ends = hunk.new_ends
    return "\n".join(lines) + ("\n" if ends and lines else "")


def hunks_of(diff: str) -> list[Hunk]:
    """The parts of a unified diff of one file.

    Raises:
        EditRefusedError: it is no such diff.
    """
    lines = diff.replace("\r\n", "\n").removesuffix("\n").split("\n")
    starts = [number for number, line in enumerate(lines) if line.startswith("@@")]
    if not starts:
        raise EditRefusedError(
            "the diff has no part that begins with `@@ -LINE,COUNT +LINE,COUNT @@`"
        )
    ends = [*starts[1:], len(lines)]
    return [_hunk(lines[a:b], n) for n, (a, b) in enumerate(zip(starts, ends, strict=True), 1)]


def _hunk(lines: list[str], number: int) -> Hunk:
    head = HUNK.match(lines[0])
    if head is None:
        raise EditRefusedError(f"part {number}: {lines[0][:80]!r} is not `@@ -L,C +L,C @@`")
    body = _body(lines[1:], int(head[2] or 1), int(head[4] or 1), number)
    old: list[str] = []
    new: list[str] = []
    old_ends, new_ends, last = True, True, " "
    for line in body:
        mark, rest = (line[0], line[1:]) if line else (" ", "")
        if mark == "\\":
            old_ends, new_ends = old_ends and last == "+", new_ends and last == "-"
            continue
        if mark not in " +-":
            raise EditRefusedError(
                f"part {number}: {line[:80]!r} begins with none of space, +, - and \\"
            )
        if mark != "+":
            old.append(rest)
        if mark != "-":
            new.append(rest)
        last = mark
    if not old and not new:
        raise EditRefusedError(f"part {number} has no lines")
    return Hunk(
        at=int(head[1]), old=tuple(old), new=tuple(new), old_ends=old_ends, new_ends=new_ends
    )


def _body(lines: list[str], old: int, new: int, number: int) -> list[str]:
    """The lines of a part: all that its counts ask for, and more until something else begins."""
    body: list[str] = []
    marked = (at for at in range(len(lines) - 1, -1, -1) if lines[at].startswith((" ", "+", "-")))
    last = next(marked, -1)
    for at, line in enumerate(lines):
        full = old <= 0 and new <= 0
        if full and line.startswith(("diff ", "Index: ", "--- ")):
            if any(rest.startswith("+++ ") for rest in lines[at:]):
                raise EditRefusedError(f"after part {number} comes another file: one at a time")
            break
        if full and not line and at > last:
            break
        body.append(line)
        old -= line[:1] != "+" and line[:1] != "\\"
        new -= line[:1] != "-" and line[:1] != "\\"
    while body and not body[-1] and (old < 0 or new < 0):
        body.pop()
        old, new = old + 1, new + 1
    return body


def _place_of(hunk: Hunk, lines: list[str], moved: int, number: int) -> int:
    if not hunk.old:
        at = hunk.at + moved
        if not 0 <= at <= len(lines):
            raise EditRefusedError(f"part {number}: there is no line {hunk.at}")
        return at
    old, size = list(hunk.old), len(hunk.old)
    said = hunk.at - 1 + moved
    if said >= 0 and lines[said : said + size] == old:
        return said
    found = list(islice(_runs(lines, old), MOST_PLACES + 1))
    if len(found) == 1:
        return found[0]
    if found:
        places = ", ".join(str(at + 1) for at in found[:MOST_PLACES])
        count = "several" if found[MOST_PLACES:] else len(found)
        why = f"its old lines stand in {count} places ({places}) and not where it says"
    else:
        why = f"its old lines stand nowhere{_nearest(lines, old)}"
    raise EditRefusedError(f"part {number}: {why}. Nothing was changed.")
