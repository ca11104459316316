"""What changed between two looks at a directory: contents, not dates."""

import hashlib
import os
import posixpath
from collections import defaultdict
from collections.abc import Iterable

from pm_orchestrator.domain.judging.outcome import ChangeKind, FileChange
from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.evidence.look.snapshot import LINK, UNREADABLE, Snapshot, under
from pm_orchestrator.evidence.look.stat_cache import FileState

EXECUTABLE = 0o100
IN_HEX = LatePattern("[0-9a-f]{64}")
AT_ONCE = 5_000
"""Lines put together before they are hashed: fewer calls, and still little memory."""


def compare(
    before: Snapshot,
    after: Snapshot,
    unseen: Iterable[str] = (),
    modes: frozenset[str] = frozenset(),
) -> tuple[FileChange, ...]:
    """What is new, different, gone, or moved, sorted by path.

    What could not be read proves neither a change nor, below one of the directories
    `unseen`, that a file is gone. Of the files `modes` it counts whether they can be executed.
    """
    if before == after:
        return ()  # The way of every look at a large tree that nobody touched.
    hidden = frozenset(unseen)
    # Contents of what is gone, each with the names it had: renames are looked up, not
    # searched, or a hundred thousand moved files would take hours.
    gone: defaultdict[str, list[str]] = defaultdict(list)
    for path in sorted(before.keys() - after.keys(), reverse=True):
        if not under(path, hidden):
            gone[before[path].digest].append(path)
    changes: list[FileChange] = []
    # Nearly everything is as it was; only the rest is worth sorting.
    for path in sorted(p for p, s in after.items() if before.get(p) != s):
        state, old = after[path], before.get(path)
        if state.digest == UNREADABLE:
            continue
        if old is None:
            sources = gone.get(state.digest)
            source = sources.pop() if sources else None
            kind: ChangeKind = "created" if source is None else "renamed"
            moved_from = None if source is None else printable(source)
            changes.append(
                FileChange(
                    path=printable(path),
                    kind=kind,
                    size=state.size,
                    previous_path=moved_from,
                    sha256=_content(state),
                )
            )
        elif old.digest not in {state.digest, UNREADABLE} or (
            path in modes and (old.mode ^ state.mode) & EXECUTABLE
        ):
            changes.append(
                FileChange(
                    path=printable(path), kind="modified", size=state.size, sha256=_content(state)
                )
            )
    deleted = (path for names in gone.values() for path in names)
    changes += [FileChange(path=printable(path), kind="deleted", size=0) for path in deleted]
    return tuple(sorted(changes, key=lambda change: change.path))


def _content(state: FileState) -> str | None:
    return state.digest if IN_HEX.fullmatch(state.digest) else None


def printable(path: str) -> str:
    """A name that can be stored: bytes that are no UTF-8 become escapes."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def fingerprint(snapshot: Snapshot, *, with_modes: bool = False) -> str:
    """One name for a whole tree; permissions are a part of it only where asked for."""
    name = hashlib.sha256()
    paths = sorted(snapshot)
    for start in range(0, len(paths), AT_ONCE):
        states = ((path, snapshot[path]) for path in paths[start : start + AT_ONCE])
        lines = [f"{p}\0{s.digest}\0{s.mode if with_modes else ''}\n" for p, s in states]
        name.update("".join(lines).encode("utf-8", "surrogateescape"))
    return name.hexdigest()


def may_be_directory(path: str) -> bool:
    """Whether a name does not say by its ending that a file is meant."""
    return path.endswith("/") or "." not in posixpath.basename(path)[1:]


def is_delivered(path: str, files: Snapshot) -> bool:
    """Whether `path` holds something: a file, or a link to something of the same tree.

    A link to nowhere holds nothing, and what a link out of the project shows was not
    delivered with it.
    """
    state = files.get(path)
    if state is None:
        # A directory holds what is in it; it is no file of that name.
        below = f"{path.rstrip('/')}/"
        return may_be_directory(path) and any(name.startswith(below) for name in files)
    if not state.digest.startswith(LINK):
        return True
    target = posixpath.normpath(
        posixpath.join(posixpath.dirname(path), state.digest.removeprefix(LINK))
    )
    there = files.get(target)
    if there is None:
        return any(name.startswith(f"{target}/") for name in files)
    return not there.digest.startswith(LINK)
