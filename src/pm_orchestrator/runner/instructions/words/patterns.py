"""Long alternations of words, written over several lines."""

import re
import sys
from collections.abc import Callable, Iterator
from functools import cached_property

LINE_BREAK = re.compile(r"\s*\n\s*")
PART = re.compile(r"<([A-Z_]+)>")


class LatePattern:
    """A pattern that is compiled when it is first used.

    There are dozens of them, and most starts of the program understand no instruction.
    """

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self._text, re.IGNORECASE | re.ASCII)

    def search(self, string: str, pos: int = 0, endpos: int = sys.maxsize) -> re.Match[str] | None:
        return self._compiled.search(string, pos, endpos)

    def match(self, string: str, pos: int = 0, endpos: int = sys.maxsize) -> re.Match[str] | None:
        return self._compiled.match(string, pos, endpos)

    def fullmatch(
        self, string: str, pos: int = 0, endpos: int = sys.maxsize
    ) -> re.Match[str] | None:
        return self._compiled.fullmatch(string, pos, endpos)

    def finditer(
        self, string: str, pos: int = 0, endpos: int = sys.maxsize
    ) -> Iterator[re.Match[str]]:
        return self._compiled.finditer(string, pos, endpos)

    def sub(self, replacement: str | Callable[[re.Match[str]], str], string: str) -> str:
        return self._compiled.sub(replacement, string)

    def split(self, string: str) -> list[str]:
        return self._compiled.split(string)


def pattern(text: str, **parts: str) -> LatePattern:
    r"""`text` without its line breaks as a pattern; `<NAME>` stands for the part of that name.

    ASCII rules for `\b` and `\w`: a Latin word ends where Japanese begins.
    """
    return LatePattern(joined(text, **parts))


def joined(text: str, **parts: str) -> str:
    """The text of a pattern, or of a part of one."""
    whole = LINE_BREAK.sub("", text)
    return PART.sub(lambda found: f"(?:{parts[found.group(1)]})", whole)
