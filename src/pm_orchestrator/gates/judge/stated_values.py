"""Does a stated value stand where it was to stand, in the place of the old one? Pure.

In settings a value is written as it is stated, and a remark about it is none. In a text that
holds only where it takes the place of another one, and in code it may be a constant, a product
or a call: there only the old one has to be touched.
"""

import json
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import PurePosixPath

import msgspec

from pm_orchestrator.domain.judging.value_change import ValueChange
from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.gates.detect.documents import is_document

HASHED = frozenset({".yaml", ".yml", ".toml", ".ini", ".cfg", ".conf", ".env", ".properties"})
PLAIN = frozenset({".json", ".jsonc", ".json5", ".csv", ".tsv", ".txt", ".md", ".markdown", ".rst"})
STRINGS = r"\"(?:\\.|[^\"\\\n])*\"|'(?:[^'\n])*'"
HASH = LatePattern(rf"(?P<kept>{STRINGS})|(?:(?<=\s)|^)#[^\n]*|^[ \t]*;[^\n]*", re.MULTILINE)
SLASHES = LatePattern(rf"(?P<kept>{STRINGS})|//[^\n]*|/\*.*?\*/", re.DOTALL)
HIDDEN = LatePattern(r"(?P<kept>(?!))|<!--.*?-->", re.DOTALL)
NUMBER = LatePattern(r"v?(\d+(?:\.\d+)*(?:-[\w.]+)?)", re.ASCII)
GROUPED = LatePattern(r"(?<=\d)[_,](?=\d{3}(?!\d))")


class TwoTexts(msgspec.Struct, frozen=True):
    """A file before and after the work; nothing where there was no such file."""

    before: str = ""
    after: str = ""


Texts = Mapping[str, TwoTexts]


def is_data(path: str) -> bool:
    """Whether values stand in a file as they are stated."""
    place = PurePosixPath(path)
    return place.suffix in HASHED | PLAIN or place.name.startswith(".env") or is_document(path)


def is_set(wanted: ValueChange, named: Texts, changed: Texts) -> bool:
    """Whether the new value stands in the files, and less of the old one."""
    old, files = wanted.old, named or changed
    had = {path: file for path, file in files.items() if _count(wanted, path, file.before)}
    if wanted.old_may_be_a_key and any(_is_key(old, file.before) for file in had.values()):
        old, had = "", {}
    if old and had:
        fewer = [_is_touched(wanted, path, file) for path, file in had.items()]
        if not (all(fewer) if named else any(fewer)):
            return False
        if wanted.reach != "somewhere" and named and holding(wanted, _after(named)):
            return False
    about = had or files
    stating = [p for p in about if is_data(p) and (p in had or not is_document(p))]
    written = [_is_written(wanted.new, path, files[path]) for path in stating]
    if named:
        return all(written)
    # Anything else than a setting may say it in its own way.
    return len(stating) < len(about) or any(written)


def holding(wanted: ValueChange, texts: Mapping[str, str]) -> tuple[str, ...]:
    """Of settings and texts, those in which the old value still stands."""
    return tuple(p for p, text in texts.items() if is_data(p) and _count(wanted, p, text))


def _after(files: Texts) -> dict[str, str]:
    return {path: file.after for path, file in files.items()}


def _is_touched(wanted: ValueChange, path: str, file: TwoTexts) -> bool:
    if is_data(path):
        return _count(wanted, path, file.after) < _count(wanted, path, file.before)
    left = Counter(file.before.splitlines()) - Counter(file.after.splitlines())
    return any(_count(wanted, path, line) for line in left)


def _is_written(new: str, path: str, file: TwoTexts) -> bool:
    """Whether it stands in what was added, as it is or as a string of its format has it."""
    before = Counter(_bare(path, file.before).splitlines())
    added = Counter(_bare(path, file.after).splitlines()) - before
    text = " ".join(" ".join(added).split()).casefold()
    number = NUMBER.fullmatch(new)
    if number is not None:
        found = rf"(?<![\d.]){re.escape(number[1])}(?!\d)"
        return any(re.search(found, t) is not None for t in (text, GROUPED.sub("", text)))
    wanted = " ".join(new.split()).casefold()
    forms = {wanted, json.dumps(wanted)[1:-1], json.dumps(wanted, ensure_ascii=False)[1:-1]}
    return any(form in text for form in forms)


def _count(wanted: ValueChange, path: str, text: str) -> int:
    if not wanted.old:
        return 0
    # A new value may hold the old one.
    bare = _bare(path, text) if is_data(path) else text
    if wanted.old in wanted.new:
        bare = bare.replace(wanted.new, "\x00")
    return len(re.findall(_whole(wanted.old), bare, re.ASCII))


def _whole(old: str) -> str:
    """A value by itself: neither part of a word or number nor, as a word, of a path or address."""
    first, last = r"(?<![\w./#-])", r"(?![\w/-]|\.\w)"
    if NUMBER.fullmatch(old) is not None:
        first, last = r"(?<![\w.])", r"(?!\w|\.\d)"
    begins, ends = (c.isascii() and c.isalnum() for c in (old[0], old[-1]))
    return (first if begins else "") + re.escape(old) + (last if ends else "")


def _is_key(old: str, text: str) -> bool:
    """Whether it is the name of a setting: `level: info`, `"level" = …`."""
    return re.search(rf"(?<!\w){re.escape(old)}[\"']?\s*[:=]", text) is not None


def _bare(path: str, text: str) -> str:
    """A text without its comments."""
    place = PurePosixPath(path)
    comment = HIDDEN
    if place.suffix in HASHED or place.name.startswith(".env"):
        comment = HASH
    elif place.suffix.startswith(".json"):
        comment = SLASHES
    return comment.sub(lambda found: found["kept"] or " ", text)
