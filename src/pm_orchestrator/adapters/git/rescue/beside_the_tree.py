"""What a tree cannot say about files, and how it is put back beside the tree."""

import json
import os
import stat
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from pm_orchestrator.adapters.git.trees import TreeEntry, fields_of
from pm_orchestrator.domain.errors import PmError

EXECUTABLE = 0o111


class Details(msgspec.Struct, frozen=True, kw_only=True):
    """The message of a rescue commit."""

    head: str | None
    branch: str | None = None
    index: str | None
    """The user's index file, as a blob."""
    modes: dict[str, int]
    ignored: frozenset[str]
    skipped: tuple[str, ...] = ()

    def to_builtins(self) -> dict[str, Any]:
        """As plain data; of the modes only the usual two and the exceptions."""
        plain = _usual(m for m in self.modes.values() if not m & EXECUTABLE)
        program = _usual(m for m in self.modes.values() if m & EXECUTABLE)
        return {
            "head": self.head,
            "branch": self.branch,
            "index": self.index,
            "usual": [plain, program],
            "modes": {p: m for p, m in self.modes.items() if m not in {plain, program}},
            "ignored": sorted(self.ignored),
            "skipped": list(self.skipped),
        }


class _Message(msgspec.Struct, frozen=True, kw_only=True):
    head: str | None
    index: str | None
    usual: tuple[int | None, int | None]
    modes: dict[str, int]
    ignored: tuple[str, ...]
    skipped: tuple[str, ...]
    branch: str | None = None
    """Older rescues do not say."""


class KnownModes(msgspec.Struct, frozen=True, kw_only=True):
    """Permissions of every file of a rescue."""

    usual: tuple[int | None, int | None]
    exceptions: Mapping[str, int]

    def of(self, entry: TreeEntry) -> int | None:
        """None where nothing was written down, so nothing is changed."""
        if entry.name in self.exceptions:
            return self.exceptions[entry.name]
        return self.usual[1 if entry.mode == "100755" else 0]


class ReadDetails(msgspec.Struct, frozen=True, kw_only=True):
    """Details as they come back from a commit."""

    head: str | None
    branch: str | None
    index: str | None
    modes: KnownModes
    ignored: frozenset[str]
    skipped: tuple[str, ...]


def details_of(commit: bytes) -> ReadDetails:
    """Read the message of a rescue commit.

    Raises:
        PmError: E801 when it is not one of ours.
    """
    _, _, message = commit.partition(b"\n\n")
    _, _, body = message.partition(b"\n\n")
    try:
        # The standard reader keeps names that are no UTF-8, as escapes.
        read = msgspec.convert(json.loads(body), _Message)
    except (ValueError, msgspec.ValidationError) as error:
        reason = "the commit was not written by this program"
        raise PmError("git_failed", operation="cat-file", reason=reason) from error
    return ReadDetails(
        head=read.head,
        branch=read.branch,
        index=read.index,
        modes=KnownModes(usual=read.usual, exceptions=read.modes),
        ignored=frozenset(read.ignored),
        skipped=read.skipped,
    )


def split_changes(output: bytes) -> tuple[list[str], list[str]]:
    """Paths that `diff-tree -z --raw --no-renames` writes and removes; no nested repositories."""
    written: list[str] = []
    removed: list[str] = []
    fields = fields_of(output)
    for head in fields:
        if not head:
            continue
        old, new = head[1:].split(b" ")[:2]
        name = os.fsdecode(next(fields))
        if b"160000" in (old, new):
            continue
        (removed if new == b"000000" else written).append(name)
    return written, removed


def below(path: str, ignored: frozenset[str]) -> bool:
    """Whether `path` is ignored, or below a directory that is."""
    if path in ignored:
        return True
    return any(path[: i + 1] in ignored for i, letter in enumerate(path) if letter == "/")


def apply_modes(project: Path, files: Iterable[TreeEntry], modes: KnownModes) -> None:
    """Set the permissions of regular files that differ from what they were."""
    for entry in files:
        wanted = modes.of(entry) if entry.is_regular else None
        path = project / entry.name
        if wanted is None or path.is_symlink() or not path.exists():
            continue
        if stat.S_IMODE(path.stat().st_mode) != wanted:
            path.chmod(wanted)


def take_away(project: Path, names: Iterable[str]) -> None:
    """Delete files, and the directories that are empty without them, as git does."""
    for name in names:
        path = project / name
        path.unlink(missing_ok=True)
        for folder in path.parents:
            if folder == project or any(folder.iterdir()):
                break
            folder.rmdir()


def put_index_back(index: Path, data: bytes) -> None:
    """Replace the index as git does: through its lock.

    Raises:
        PmError: E402 when a git of the user's is at work on it.
    """
    lock = index.with_name("index.lock")
    try:
        handle = os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
    except FileExistsError:
        raise PmError("owner_alive", what=index, holder="git") from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        lock.replace(index)
    except OSError:
        lock.unlink(missing_ok=True)
        raise


def _usual(modes: Iterable[int]) -> int | None:
    common = Counter(modes).most_common(1)
    return common[0][0] if common else None
