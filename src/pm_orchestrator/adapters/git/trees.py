"""What git prints about trees, read into records.

Names in a repository are bytes. They stay bytes (as surrogates) where they go
back to git, and become printable text where they enter a record.
"""

import os
from collections.abc import Iterator

import msgspec

from pm_orchestrator.domain.judging.outcome import ChangeKind, FileChange

MAX_PATH = 4096

KINDS: dict[str, ChangeKind] = {
    "A": "created",
    "M": "modified",
    "T": "modified",  # a file became a link, or the other way round
    "D": "deleted",
    "R": "renamed",
}


class TreeEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One line of `ls-tree -z`; `name` round-trips through the command line."""

    mode: str
    oid: str
    name: str
    size: int
    """0 for what has none: a directory, a submodule, or a listing without sizes."""

    @property
    def is_regular(self) -> bool:
        return self.mode.startswith("100")

    @property
    def is_link(self) -> bool:
        return self.mode == "120000"

    @property
    def is_directory(self) -> bool:
        return self.mode == "040000"

    @property
    def is_submodule(self) -> bool:
        return self.mode == "160000"


class RawChange(msgspec.Struct, frozen=True, kw_only=True):
    """One record of `diff-tree --raw -z`."""

    kind: ChangeKind
    name: str
    previous: str | None


def fields_of(output: bytes) -> Iterator[bytes]:
    """What stands between null bytes, one after the other: a list of it all may be large."""
    start = 0
    while (end := output.find(b"\0", start)) >= 0:
        yield output[start:end]
        start = end + 1


def printable_path(name: str) -> str:
    """A file name as text that can be stored: bytes that are no UTF-8 become escapes."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def plain_path(path: str) -> bool:
    """Whether `path` could name a file in a tree: relative, with nothing to normalise."""
    parts = path.split("/")
    return len(path) <= MAX_PATH and "\0" not in path and not {"", ".", ".."} & set(parts)


def entries(output: bytes) -> list[TreeEntry]:
    """Read `ls-tree -z`, with or without `-l`."""
    found: list[TreeEntry] = []
    for line in _fields(output):
        head, _, name = line.partition("\t")
        mode, _, oid, *size = head.split()
        number = int(size[0]) if size and size[0].isdigit() else 0
        found.append(TreeEntry(mode=mode, oid=oid, name=name, size=number))
    return found


def blobs(output: bytes) -> list[bytes]:
    """Read `cat-file --batch` of blobs that are all there."""
    found: list[bytes] = []
    place = 0
    while place < len(output):
        end = output.index(b"\n", place)
        size = int(output[place:end].rsplit(b" ", 1)[1])
        found.append(output[end + 1 : end + 1 + size])
        place = end + 1 + size + 1
    return found


def raw_changes(output: bytes) -> list[RawChange]:
    """Read `diff-tree -r -z --raw --no-abbrev`: contents that came, went or changed.

    Permissions alone are no work that could be judged, as in a directory.
    """
    fields = iter(_fields(output))
    found: list[RawChange] = []
    for head in fields:
        *_, old, new, letter = head.split(" ")
        letter, first = letter[0], next(fields)
        renamed = letter == "R"
        if letter == "M" and old == new:
            continue
        found.append(
            RawChange(
                kind=KINDS[letter],
                name=next(fields) if renamed else first,
                previous=first if renamed else None,
            )
        )
    return found


def with_sizes(changes: list[RawChange], sizes: dict[str, int]) -> tuple[FileChange, ...]:
    """Changes as the domain knows them, sorted by path."""
    found = (
        FileChange(
            path=printable_path(change.name),
            kind=change.kind,
            size=sizes.get(change.name, 0),
            previous_path=printable_path(change.previous) if change.previous is not None else None,
        )
        for change in changes
    )
    return tuple(sorted(found, key=lambda change: change.path))


def _fields(output: bytes) -> list[str]:
    return [os.fsdecode(field) for field in fields_of(output) if field]
