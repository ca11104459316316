"""Undoing what a gate did to the tree it judged.

A lint gate may format files, a test gate may rewrite its recordings. The tree that was
judged is the one that is delivered, so such files get their content back; what stood
there instead is kept beside, in case a person wrote it in the meantime.
"""

import hashlib
import os
import stat
from collections.abc import Sequence
from pathlib import Path

import msgspec

from pm_orchestrator.domain.judging.outcome import FileChange
from pm_orchestrator.evidence.look.stat_cache import FileState
from pm_orchestrator.runner.places.plain_files import read_plain

MEMORY_LIMIT = 32 * 1024**2
"""Bytes of changed files that are held while the gates run."""


class DeliveredFiles(msgspec.Struct, frozen=True):
    """The task's own files as they were delivered."""

    contents: dict[str, bytes]
    own: frozenset[str]
    """Files that the task changed: their content is not that of the saved tree."""

    @staticmethod
    def of(project: Path, changes: Sequence[FileChange]) -> "DeliveredFiles":
        """Hold the changed files, the smallest first, as far as there is room."""
        contents: dict[str, bytes] = {}
        room = MEMORY_LIMIT
        there = [c for c in changes if c.kind != "deleted"]
        for change in sorted(there, key=lambda c: c.size):
            room -= change.size
            content = read_plain(project / change.path) if room >= 0 else None
            if content is not None:
                contents[change.path] = content
        return DeliveredFiles(contents, frozenset(c.path for c in there))

    def content(self, path: str) -> bytes | None:
        """What the task delivered under this path."""
        return self.contents.get(path)


def put_back(project: Path, path: str, content: bytes, judged: FileState, aside: Path) -> bool:
    """Write `content` where it was, if it is what was judged; False if it is not."""
    place = project / path
    if hashlib.sha256(content).hexdigest() != judged.digest or place.is_symlink():
        return False
    if not place.parent.resolve().is_relative_to(project.resolve()):
        return False
    place.parent.mkdir(parents=True, exist_ok=True)
    instead = read_plain(place)
    if instead is not None:
        (aside / path).parent.mkdir(parents=True, exist_ok=True)
        (aside / path).write_bytes(instead)
    import tempfile

    handle, name = tempfile.mkstemp(dir=place.parent, prefix=".pm-put-back-")
    with os.fdopen(handle, "wb") as file:
        file.write(content)
    Path(name).chmod(stat.S_IMODE(judged.mode) or 0o644)
    Path(name).replace(place)
    return True
