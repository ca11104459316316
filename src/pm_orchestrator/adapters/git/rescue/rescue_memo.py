"""The last rescue, remembered: files that did not change are saved by a name alone."""

import hashlib
import json
from pathlib import Path

import msgspec

from pm_orchestrator.adapters.git.rescue.rescue_place import RescueRepository
from pm_orchestrator.ports.rescue import Tree


class KeptIndex(msgspec.Struct, frozen=True, kw_only=True):
    """A staging area that was saved: the file, and a commit of what is staged."""

    about: tuple[int, ...]
    """How the file looked from outside."""
    blob: str
    staged: str | None


class LastRescue(msgspec.Struct, frozen=True, kw_only=True):
    """What was saved last; `key` stands for everything that went into it."""

    key: str
    commit: str
    skipped: tuple[str, ...]
    index: KeptIndex | None = None


def memo_key(place: RescueRepository, tree: Tree) -> str:
    """Equal for equal files, permissions, ignored paths, HEAD, branch and index."""
    where = [str(place.repository), place.head, place.branch]
    parts = [tree.digest, *where, sorted(tree.ignored)]
    text = json.dumps([*parts, about_index(place.index)])
    return hashlib.sha256(text.encode()).hexdigest()


def recall(place: RescueRepository) -> LastRescue | None:
    """The last rescue; anything unreadable is none."""
    try:
        return msgspec.json.decode(_path(place).read_bytes(), type=LastRescue)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return None


def remember(place: RescueRepository, last: LastRescue) -> None:
    """For the next save; losing it costs only time."""
    draft = place.private / "last.draft"
    # Names that are no text stay readable as escapes.
    draft.write_text(json.dumps(msgspec.to_builtins(last)), encoding="ascii")
    draft.replace(_path(place))


def _path(place: RescueRepository) -> Path:
    return place.private / "last.json"


def about_index(index: Path | None) -> tuple[int, ...]:
    """Equal while the index is the same file; nothing where there is none."""
    # Git never writes into an index: it puts a new file in its place.
    try:
        about = index.stat() if index is not None else None
    except OSError:
        return ()
    if about is None:
        return ()
    return (about.st_size, about.st_mtime_ns, about.st_ctime_ns, about.st_ino, about.st_dev)
