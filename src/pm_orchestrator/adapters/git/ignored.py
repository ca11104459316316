"""What git ignores in the user's repository, asked of git itself."""

import asyncio
import os
from pathlib import Path

from typing_extensions import override

from pm_orchestrator.adapters.git.command import Git
from pm_orchestrator.adapters.git.user_repository import ANY_OWNER
from pm_orchestrator.ports.ignored import IgnoredFiles

LIST = ("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")


def repository_above(project: Path) -> bool:
    """Whether `project` is in a repository; without one git need not be there either."""
    return any((folder / ".git").exists() for folder in (project, *project.parents))


class GitIgnored(IgnoredFiles):
    """`.gitignore` files and `.git/info/exclude`; the user's global list is not read."""

    def __init__(self, git: Git) -> None:
        self._git = git

    @override
    async def ignored(self, project: Path) -> frozenset[str]:
        if not await asyncio.to_thread(repository_above, project):
            return frozenset()
        shown = await self._git.run(project, *LIST, settings=ANY_OWNER)
        return frozenset(os.fsdecode(path) for path in shown.stdout.split(b"\0") if path)
