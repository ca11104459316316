"""Values and files of a text, each in place of a token, so that rules can look at the words.

Only what cannot be meant otherwise is a value: something in quotes, or a number that stands
by itself. "60 seconds" may well be written as a minute.
"""

import re
import unicodedata
from collections.abc import Iterator
from pathlib import PurePosixPath

import msgspec

from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.runner.instructions.file_names import SUFFIXES, all_mentions
from pm_orchestrator.runner.instructions.words.pasted import QUOTED, quoted_text

FILE = "\x00\\d+\x00"
VALUE = "\x01\\d+\x01"
NUMBER = LatePattern(
    r"(?<![\w.\-/:@#+$€£¥\x00\x01])v?[0-9０-９]+(?:[._,][0-9０-９]+)*(?:-(?:rc|beta|alpha|dev)[\w.]*)?"
    r"(?![\w/:@%°-]|\.\w|[\x00\x01])",
    re.ASCII,
)
NUMERIC = LatePattern(r"v?\d+(?:\.\d+)*(?:-[\w.]+)?", re.ASCII)
GROUPED = LatePattern(r"(?<=\d)[,_](?=\d{3}(?!\d))")


class Marked(msgspec.Struct, frozen=True):
    """A text with tokens, and what they stand for."""

    text: str
    files: tuple[str, ...]
    values: tuple[str, ...]

    def files_in(self, part: str) -> tuple[str, ...]:
        return tuple(self.files[int(n)] for n in re.findall("\x00(\\d+)\x00", part))

    def value(self, token: str) -> str:
        return self.values[int(token.strip("\x01"))]


def is_number(value: str) -> bool:
    """Whether a value is a number or a version."""
    return NUMERIC.fullmatch(value) is not None


def marked(text: str) -> Marked:
    """`text` with a token for each file and each value in it."""
    files: list[str] = []
    values: list[str] = []
    parts: list[str] = []
    position = 0
    for start, end, kind, found in sorted(_spans(text)):
        if start < position:
            continue
        into, mark = (files, "\x00") if kind == "file" else (values, "\x01")
        parts += [text[position:start], f"{mark}{len(into)}{mark}"]
        into.append(found)
        position = end
    parts.append(text[position:])
    return Marked("".join(parts), tuple(files), tuple(values))


def _spans(text: str) -> Iterator[tuple[int, int, str, str]]:
    named = [
        m
        for m in all_mentions(text)
        if m.kind != "loose" or PurePosixPath(m.name).suffix in SUFFIXES
    ]
    for quote in QUOTED.finditer(text):
        inside = [m for m in named if quote.start() <= m.start and m.end <= quote.end()]
        if not inside:
            yield quote.start(), quote.end(), "value", quoted_text(quote)
        elif quote.end() - quote.start() == inside[0].end - inside[0].start + 2:
            yield quote.start(), quote.end(), "file", inside[0].name
    for mention in named:
        yield mention.start, mention.end, "file", mention.name
    for number in NUMBER.finditer(text):
        folded = unicodedata.normalize("NFKC", number.group())
        yield number.start(), number.end(), "value", GROUPED.sub("", folded)
