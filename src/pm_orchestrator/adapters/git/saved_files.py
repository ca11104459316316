"""Files of a saved tree, read out of the repository that holds it."""

from typing_extensions import override

from pm_orchestrator.adapters.git.command import Git
from pm_orchestrator.adapters.git.refs import object_id
from pm_orchestrator.ports.rescue import Saved
from pm_orchestrator.ports.saved_files import SavedFiles

NOT_THERE = 128


class GitSavedFiles(SavedFiles):
    """Reads blobs as they are: no filter, no conversion of line ends."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._seen: set[str] = set()

    @override
    async def read(self, saved: Saved, path: str) -> bytes | None:
        commit = object_id(saved.commit)
        if commit not in self._seen:
            # Asked by itself, so that a lost tree is not taken for a missing file.
            await self._git.run(saved.place, "cat-file", "-e", f"{commit}^{{tree}}")
            self._seen.add(commit)
        found = await self._git.run(
            saved.place, "cat-file", "blob", f"{commit}:{path}", accept=(0, NOT_THERE)
        )
        return found.stdout if found.exit_code == 0 else None
