"""What changed in a directory, seen by the Runner itself: contents, not dates.

Symbolic links are recorded as links and never followed, so nothing outside the
root can count as work done inside it.
"""

import hashlib
import os
import stat
from pathlib import Path

import msgspec

from pm_orchestrator.domain.outcome import ChangeKind, FileChange

SKIPPED_ANYWHERE = frozenset({".git", "node_modules", "__pycache__"})
SKIPPED_PATHS = frozenset(
    {
        ".pm-orchestrator",
        ".claude/logs",
        ".claude/raw",
        ".claude/evidence",
        ".claude/repl.json",
    }
)


class FileState(msgspec.Struct, frozen=True):
    """One file at one moment."""

    digest: str
    size: int


Snapshot = dict[str, FileState]


def take_snapshot(root: Path) -> Snapshot:
    """The state of every file below `root` that counts."""
    found: Snapshot = {}
    pending = [""]
    while pending:
        folder = pending.pop()
        with os.scandir(root / folder) as entries:
            for entry in entries:
                path = f"{folder}{entry.name}"
                if entry.name in SKIPPED_ANYWHERE or path in SKIPPED_PATHS:
                    continue
                if entry.is_dir(follow_symlinks=False):
                    pending.append(path + "/")
                else:
                    state = _state(Path(entry.path))
                    if state is not None:
                        found[path] = state
    return found


def _state(path: Path) -> FileState | None:
    """None for what is neither a file nor a link: a socket or a FIFO is no work product."""
    mode = path.lstat().st_mode
    if stat.S_ISLNK(mode):
        target = str(path.readlink())
        return FileState("link:" + target, len(target))
    if not stat.S_ISREG(mode):
        return None
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return FileState(digest, path.stat().st_size)


def compare(before: Snapshot, after: Snapshot) -> tuple[FileChange, ...]:
    """What is new, different, gone, or moved, sorted by path."""
    gone = {path: state for path, state in before.items() if path not in after}
    changes: list[FileChange] = []
    for path, state in after.items():
        old = before.get(path)
        if old is None:
            source = next((p for p, s in gone.items() if s.digest == state.digest), None)
            kind: ChangeKind = "created"
            if source is not None:
                del gone[source]
                kind = "renamed"
            changes.append(FileChange(path=path, kind=kind, size=state.size, previous_path=source))
        elif old != state:
            changes.append(FileChange(path=path, kind="modified", size=state.size))
    changes += [FileChange(path=path, kind="deleted", size=0) for path in gone]
    return tuple(sorted(changes, key=lambda change: change.path))


def fingerprint(snapshot: Snapshot) -> str:
    """One name for a whole tree."""
    lines = "\n".join(f"{path}\0{state.digest}" for path, state in sorted(snapshot.items()))
    return hashlib.sha256(lines.encode("utf-8", "surrogateescape")).hexdigest()
