"""Whether commits say, hold and take along what they were to. Pure."""

import posixpath
import re
import unicodedata
from collections.abc import Iterable

from pm_orchestrator.domain.late_pattern import LatePattern

MARKS = " .。!!\"'`「」"
OURS = LatePattern(r"\bours\b", re.IGNORECASE)
"""The one name that git has for a merge which takes nothing."""


def says(message: str, wanted: str) -> bool:
    """Whether a message says what it was to say, however its lines are broken or it ends."""
    return _folded(wanted) in _folded(message)


def is_said(wanted: str, messages: Iterable[str] | None) -> bool:
    """Whether one of the messages says it; where they are not known nobody can object."""
    return not wanted or messages is None or any(says(message, wanted) for message in messages)


def within(paths: Iterable[str], names: Iterable[str]) -> set[str]:
    """Those of the paths that are one of the names, or lie in a directory of that name."""
    folders = tuple(f"{name.rstrip('/')}/" for name in names)
    return {path for path in paths if f"{path}/".startswith(folders)}


def left_out_unasked(paths: Iterable[str], instruction: str) -> set[str]:
    """Files that a merge left behind although nothing in the instruction speaks of them."""
    if OURS.search(instruction):
        return set()
    return {path for path in paths if not any(_names(name, instruction) for name in _called(path))}


def _names(name: str, instruction: str) -> bool:
    """Whether a name stands there by itself, and not as a part of a longer word."""
    end = "" if name.endswith("/") else r"(?![A-Za-z0-9_])"
    return re.search(rf"(?<![A-Za-z0-9_]){re.escape(name)}{end}", instruction) is not None


def _called(path: str) -> Iterable[str]:
    """What one may call a file: its path, its last part, or a folder that it is in."""
    yield posixpath.basename(path)
    while path := posixpath.dirname(path):
        yield f"{path}/"


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).split()).strip(MARKS).casefold()
