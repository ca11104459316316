"""What git ignores in the user's repository, asked of git itself."""

import os
import re
from pathlib import Path

from typing_extensions import override

from pm_orchestrator.adapters.git.command import ANY_OWNER, Git
from pm_orchestrator.ports.ignored import IgnoredFiles

LIST = ("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
RECORDS = (".pm-orchestrator/", ".claude/logs/", ".claude/raw/", ".claude/evidence/")
"""Our own directories. Their files ignore themselves, one by one: without a rule for the
whole, git would list the entire history of the project at every task."""


def repository_above(project: Path) -> Path | None:
    """The directory of the repository around `project`; without one git need not be there."""
    folders = (project, *project.parents)
    return next((folder for folder in folders if (folder / ".git").exists()), None)


class GitIgnored(IgnoredFiles):
    """`.gitignore` files and `.git/info/exclude`; the user's global list is not read."""

    def __init__(self, git: Git) -> None:
        self._git = git

    @override
    async def ignored(self, project: Path) -> frozenset[str]:
        # A look at a few names; a thread would cost more.
        top = repository_above(project)
        if top is None:
            return frozenset()
        below = "".join(f"/{part}" for part in project.relative_to(top).parts)
        own = (f"--exclude={literally(below)}/{folder}" for folder in RECORDS)
        shown = await self._git.run(project, *LIST, *own, settings=ANY_OWNER)
        return frozenset(os.fsdecode(path) for path in shown.stdout.split(b"\0") if path)


def literally(path: str) -> str:
    """A path as a pattern that means just that path."""
    return re.sub(r"([\\*?\[\] ])", r"\\\1", path)
