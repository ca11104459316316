"""Regular expressions that cost nothing until they are used.

There are hundreds of them, compiling one costs more than most of them are ever used for,
and each start of the program needs only a few.
"""

import re
import sys
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

NEVER = re.compile(r"(?!)")
ODD_LETTERS = str.maketrans("\u017f\u212a\u0130\u0131", "skii")
"""Not ASCII, but the same letters where case is ignored."""


class LatePattern:
    """A pattern that is compiled when it is first asked something.

    `needs` are words, in lower case and separated by spaces, of which one stands in every
    text that it matches. A text without any of them is answered without compiling.
    """

    def __init__(self, text: str, flags: re.RegexFlag = re.NOFLAG, *, needs: str = "") -> None:
        self.text = text
        self.flags = flags
        self.needs = tuple(needs.split())

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self.text, self.flags)

    def _for(self, string: str) -> re.Pattern[str]:
        if self.needs and "_compiled" not in self.__dict__:
            low = string.translate(ODD_LETTERS).lower()
            if not any(word in low for word in self.needs):
                return NEVER
        return self._compiled

    def search(self, string: str, pos: int = 0, endpos: int = sys.maxsize) -> re.Match[str] | None:
        return self._for(string).search(string, pos, endpos)

    def match(self, string: str, pos: int = 0, endpos: int = sys.maxsize) -> re.Match[str] | None:
        return self._for(string).match(string, pos, endpos)

    def fullmatch(
        self, string: str, pos: int = 0, endpos: int = sys.maxsize
    ) -> re.Match[str] | None:
        return self._for(string).fullmatch(string, pos, endpos)

    def finditer(
        self, string: str, pos: int = 0, endpos: int = sys.maxsize
    ) -> Iterator[re.Match[str]]:
        return self._for(string).finditer(string, pos, endpos)

    def findall(self, string: str) -> list[Any]:
        return self._for(string).findall(string)

    def sub(
        self, replacement: str | Callable[[re.Match[str]], str], string: str, count: int = 0
    ) -> str:
        found = self._for(string)
        # The groups that a replacement names are not in a pattern that stands for none.
        return string if found is NEVER else found.sub(replacement, string, count)

    def split(self, string: str, maxsplit: int = 0) -> list[Any]:
        return self._for(string).split(string, maxsplit)


class LateBytesPattern:
    """The same for text that is still encoded."""

    def __init__(self, text: bytes) -> None:
        self.text = text

    @cached_property
    def _compiled(self) -> re.Pattern[bytes]:
        return re.compile(self.text)

    def search(self, data: bytes) -> re.Match[bytes] | None:
        return self._compiled.search(data)

    def match(self, data: bytes, pos: int = 0) -> re.Match[bytes] | None:
        return self._compiled.match(data, pos)

    def findall(self, data: bytes) -> list[Any]:
        return self._compiled.findall(data)
