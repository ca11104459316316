"""What has to be laid over the project directory to see it as it was before a task.

It is the tree before only if every content is the one that the Runner saw then: what was
saved is checked against the digests that were in memory all the while.
"""

import hashlib
from typing import NamedTuple

from pm_orchestrator.domain.judging.outcome import FileChange
from pm_orchestrator.evidence.look.ignored_files import IgnoredDifferences
from pm_orchestrator.evidence.look.snapshot import LINK
from pm_orchestrator.evidence.look.stat_cache import FileState
from pm_orchestrator.ports.rescue import Saved
from pm_orchestrator.ports.saved_files import SavedFiles
from pm_orchestrator.ports.tree_views import Patch, PatchedFile
from pm_orchestrator.runner.places.workspace import Before


class BaseUnknown(NamedTuple):
    """The tree before cannot be had."""

    why: str


async def base_patch(
    before: Before, changes: tuple[FileChange, ...], ignored: IgnoredDifferences, files: SavedFiles
) -> Patch | BaseUnknown:
    """Changes taken back, and what became of ignored files, or why that would be another tree."""
    saved = before.base
    if saved is None:
        return BaseUnknown("the directory was not saved before the task")
    if ignored.unknown:
        return BaseUnknown(f"changed, and not known from before: {', '.join(ignored.unknown[:5])}")
    held = {} if before.kept is None else before.kept.files
    found: dict[str, PatchedFile] = dict(ignored.given_back)
    for path in (c.previous_path or c.path for c in changes if c.kind != "created"):
        state, kept = before.files.get(path), held.get(path)
        # What is ignored was never seen as a file of the tree; it is as it was held.
        old = kept if state is None else await _old(path, state, saved, files, kept)
        if old is None:
            return BaseUnknown(f"not known, or not as it was before: {path}")
        found[path] = old
    moved = (c.path for c in changes if c.kind in {"created", "renamed"})
    return Patch(files=found, gone=(*moved, *ignored.gone))


async def _old(
    path: str, state: FileState, saved: Saved, files: SavedFiles, kept: PatchedFile | None
) -> PatchedFile | None:
    """A file as it was; None where that cannot be told."""
    if state.digest.startswith(LINK):
        target = state.digest.removeprefix(LINK).encode("utf-8", "surrogateescape")
        return PatchedFile(content=target, link=True)
    content = await files.read(saved, path)
    if content is None and kept is not None:
        content = kept.content
    if content is None or hashlib.sha256(content).hexdigest() != state.digest:
        return None
    return PatchedFile(content=content, mode=state.mode)
