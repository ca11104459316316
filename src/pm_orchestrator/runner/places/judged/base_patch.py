"""What has to be laid over the project directory to see it as it was before a task."""

from pm_orchestrator.domain.judging.outcome import FileChange
from pm_orchestrator.evidence.look.snapshot import LINK, Snapshot
from pm_orchestrator.ports.rescue import Saved
from pm_orchestrator.ports.saved_files import SavedFiles
from pm_orchestrator.ports.tree_views import Patch, PatchedFile


async def base_patch(
    before: Snapshot, saved: Saved, changes: tuple[FileChange, ...], files: SavedFiles
) -> Patch | None:
    """The changes taken back; None when a content is not known: another tree would be seen."""
    found: dict[str, PatchedFile] = {}
    gone: list[str] = []
    for change in changes:
        if change.kind in {"created", "renamed"}:
            gone.append(change.path)
        if change.kind == "created":
            continue
        old = change.previous_path or change.path
        state = before.get(old)
        if state is None:
            return None
        if state.digest.startswith(LINK):
            content = state.digest.removeprefix(LINK).encode("utf-8", "surrogateescape")
            found[old] = PatchedFile(content=content, link=True)
            continue
        read = await files.read(saved, old)
        if read is None:
            return None
        found[old] = PatchedFile(content=read, mode=state.mode)
    return Patch(files=found, gone=tuple(gone))
