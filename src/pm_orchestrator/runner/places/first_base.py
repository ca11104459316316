"""A task that goes on is judged from where it began, not from where it stopped.

What lies in the directory now is compared with the tree that was saved before the first
run; only the paths that differ are read.
"""

import hashlib
import os

from msgspec.structs import replace

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.evidence.look.snapshot import LINK, Rules, Snapshot, under
from pm_orchestrator.evidence.look.stat_cache import FileState
from pm_orchestrator.ports.rescue import Saved
from pm_orchestrator.ports.saved_files import SavedFile, SavedFiles
from pm_orchestrator.runner.places.workspace import Before, FirstBase


async def since_first(before: Before, first: Saved, saved_files: SavedFiles) -> Before:
    """The same look, with the files of the first base to compare with.

    Where the two cannot be told apart (one was not saved, or elsewhere), the work is
    judged from now on: that can only prove less.
    """
    if before.saved is None:
        return before
    try:
        differing = await saved_files.differences(first, before.saved)
    except PmError:
        return before
    files = dict(before.scan.files)
    for saved in differing:
        if saved.content is None:
            files.pop(saved.path, None)
        else:
            files[saved.path] = _state(saved, saved.content)
    return replace(
        before,
        rules=_rules(before.rules, first.ignored, files),
        first=FirstBase(saved=first, files=files),
    )


def _rules(now: Rules, then: frozenset[str], files: Snapshot) -> Rules:
    """What the task itself did to the lists of what to ignore hides nothing and shows nothing."""
    hidden = frozenset(path for path in files if under(path, now.ignored))
    return Rules(ignored=now.ignored | then, named=now.named | hidden)


def _state(saved: SavedFile, content: bytes) -> FileState:
    if saved.link:
        return FileState(digest=LINK + os.fsdecode(content), size=len(content))
    return FileState(digest=hashlib.sha256(content).hexdigest(), size=len(content))
