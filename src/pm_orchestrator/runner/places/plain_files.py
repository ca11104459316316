"""Reading a file of the project without being led astray: no links, no pipes, no floods."""

import hashlib
import os
import stat
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from pm_orchestrator.domain.judging.effect import Standing
from pm_orchestrator.domain.judging.outcome import FileChange

SURELY_ON_DISK = 64 * 1024
"""Bytes; some file systems keep smaller files in their lists."""
BLOCK = 512
TIMES_PRESSED = 64
"""How much smaller a file system that compresses may keep a file; of holes it keeps nothing."""
MOST_NAMES = 10_000
"""Of one folder; more are no reading matter."""


def read_plain(path: Path, limit: int | None = None) -> bytes | None:
    """A plain file's bytes; None for anything else, for more than `limit`, or unreadable."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        seen = os.fstat(handle)
        if not stat.S_ISREG(seen.st_mode) or (limit is not None and seen.st_size > limit):
            return None
        with os.fdopen(handle, "rb", closefd=False) as file:
            return file.read(-1 if limit is None else limit)
    finally:
        os.close(handle)


def read_plain_files(root: Path, paths: Iterable[str], limit: int) -> dict[str, bytes]:
    """Those of the paths that are plain files of at most `limit` bytes, with their bytes."""
    found = ((path, read_plain(root / path, limit)) for path in paths)
    return {path: content for path, content in found if content is not None}


def names_on_disk(folder: Path) -> tuple[str, ...]:
    """The names in a folder, folders with a slash at the end; none where it cannot be listed."""
    try:
        with os.scandir(folder) as found:
            named = (e.name + ("/" if e.is_dir() else "") for e in islice(found, MOST_NAMES))
            return tuple(sorted(named))
    except OSError:
        return ()


def has_name(path: Path) -> bool:
    """Whether anything has this name, be it a link that leads nowhere."""
    return os.path.lexists(path)


def is_surely_missing(path: Path) -> bool:
    """Whether nothing has this name; what cannot be told is not surely so."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


def differs(root: Path, change: FileChange) -> bool:
    """Whether a file is not there any more as a change left it."""
    try:
        found = os.lstat(root / change.path)
    except OSError:
        return change.kind != "deleted"
    if change.kind == "deleted" or found.st_size != change.size:
        return True
    if change.sha256 is None:
        return False
    data = read_plain(root / change.path)
    return data is None or hashlib.sha256(data).hexdigest() != change.sha256


def standing_at(path: Path) -> Standing:
    """What stands under a name; a link is not followed but to see whether it leads anywhere."""
    try:
        about = path.lstat()
    except OSError:
        return Standing()
    if stat.S_ISLNK(about.st_mode):
        return Standing(kind="link", leads=path.exists())
    if stat.S_ISDIR(about.st_mode):
        return Standing(kind="directory")
    written = about.st_blocks * BLOCK * TIMES_PRESSED
    hollow = about.st_size > SURELY_ON_DISK and written < about.st_size
    return Standing(kind="file", executable=bool(about.st_mode & stat.S_IXUSR), hollow=hollow)
