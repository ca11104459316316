"""What has become of the project directory since a tree of it was saved, seen on the disk now."""

from pathlib import Path

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.judging.outcome import FileChange
from pm_orchestrator.ports.rescue import Rescue, Saved
from pm_orchestrator.ports.saved_files import SavedFiles
from pm_orchestrator.runner.places.first_base import since_first
from pm_orchestrator.runner.places.workspace import Workspace


class SinceSaved:
    """Compares a directory with a saved tree of it, and leaves nothing behind."""

    def __init__(
        self, root: Path, workspace: Workspace, rescue: Rescue, saved_files: SavedFiles
    ) -> None:
        self._root = root
        self._workspace = workspace
        self._rescue = rescue
        self._saved_files = saved_files

    async def first(self, task_id: str) -> Saved | None:
        """The tree from before the first run of a task; None where there is none to be had."""
        return await self._workspace.saved_first(task_id)

    async def changes(self, first: Saved, name: str) -> tuple[FileChange, ...] | None:
        """Everything that differs from `first`; None where the two cannot be compared.

        `name` is for the tree as it is now, which has to be saved to be compared.
        """
        now = await self._workspace.before(f"{name}.now", ())
        if now.saved is None:
            return None
        try:
            since = await since_first(now, first, self._saved_files)
            if since.first is None:
                return None
            return (await self._workspace.after(since, ())).changes
        finally:
            await self._forget(now.saved)

    async def _forget(self, saved: Saved) -> None:
        try:
            await self._rescue.forget(self._root, saved)
        except PmError:
            # One name too many is in nobody's way.
            return
