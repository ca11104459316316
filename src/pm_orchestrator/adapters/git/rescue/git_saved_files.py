"""Files of a saved tree, read out of the repository that holds it."""

import os

from typing_extensions import override

from pm_orchestrator.adapters.git.command import Git
from pm_orchestrator.adapters.git.refs import object_id
from pm_orchestrator.adapters.git.trees import entries
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.ports.rescue import Saved
from pm_orchestrator.ports.saved_files import SavedFile, SavedFiles

NOT_THERE = 128
LINK = "120000"
FOLDER = "040000"


class GitSavedFiles(SavedFiles):
    """Reads blobs as they are: no filter, no conversion of line ends."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._seen: set[str] = set()

    @override
    async def differences(self, one: Saved, other: Saved) -> tuple[SavedFile, ...]:
        if one.place != other.place:
            reason = f"{one.ref} and {other.ref} are in different repositories"
            raise PmError("git_failed", operation="diff-tree", reason=reason)
        commits = (object_id(one.commit), object_id(other.commit))
        shown = await self._git.run(
            one.place, "diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", *commits
        )
        fields = [os.fsdecode(field) for field in shown.stdout.split(b"\0") if field]
        return tuple(
            [await self._was(one, *pair) for pair in zip(fields[::2], fields[1::2], strict=True)]
        )

    async def _was(self, saved: Saved, head: str, path: str) -> SavedFile:
        mode, _, oid = head.removeprefix(":").split(" ")[:3]
        if not mode.strip("0"):
            return SavedFile(path=path, content=None)
        found = await self._git.run(saved.place, "cat-file", "blob", object_id(oid))
        return SavedFile(path=path, content=found.stdout, link=mode == LINK)

    @override
    async def names_in(self, saved: Saved, folder: str) -> tuple[str, ...]:
        commit = object_id(saved.commit)
        shown = await self._git.run(
            saved.place, "ls-tree", "-z", f"{commit}:{folder}", accept=(0, NOT_THERE)
        )
        if shown.exit_code:
            # Nothing of that name; a tree that is lost altogether says so here.
            await self._git.run(saved.place, "cat-file", "-e", f"{commit}^{{tree}}")
        return tuple(e.name + ("/" if e.mode == FOLDER else "") for e in entries(shown.stdout))

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
