"""The files of one commit, read where the user's repository lies; nothing of it is run."""

import asyncio
from pathlib import Path

from typing_extensions import override

from pm_orchestrator.adapters.git.command import Git, isolated_environment
from pm_orchestrator.adapters.git.user.asked_git import AskedGit
from pm_orchestrator.adapters.git.user.git_ignored import repository_above
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.gates.detect.base_tree import Argv, BaseTree
from pm_orchestrator.ports.adapter import AdapterSite


class CommittedTree(BaseTree):
    """A commit as a tree to ask about; whoever cannot read it finds nothing in it."""

    def __init__(self, git: AskedGit, commit: str) -> None:
        self._git = git
        self._commit = commit

    @staticmethod
    async def at(site: AdapterSite, commit: str) -> "CommittedTree":
        """For the repository that a project lies in."""

        async def nowhere(_line: str) -> None:
            """It only looks."""

        git = Git(site.commands, site.clock, nowhere, isolated_environment(site.search_path))
        top = await asyncio.to_thread(repository_above, site.project)
        return CommittedTree(AskedGit(git, top or Path(site.project)), commit)

    @override
    async def read_base(self, path: str) -> bytes | None:
        return await self._ask("cat-file", "blob", f"{self._commit}:{path}")

    @override
    async def names_in(self, folder: str) -> tuple[str, ...]:
        listed = await self._ask("ls-tree", "-z", "--full-tree", f"{self._commit}:{folder}")
        names: list[str] = []
        for line in (listed or b"").split(b"\0"):
            head, _, name = line.partition(b"\t")
            if name:
                slash = "/" if b" tree " in head else ""
                names.append(name.decode("utf-8", "replace") + slash)
        return tuple(names)

    @override
    async def can_run(self, argv: Argv) -> bool:
        return False

    async def _ask(self, *arguments: str) -> bytes | None:
        try:
            return await self._git.ask(*arguments)
        except PmError:
            return None
