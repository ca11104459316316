"""What the user's checkout says about itself, asked of git."""

import asyncio
import os
from pathlib import Path

from typing_extensions import override

from pm_orchestrator.adapters.git.command import ANY_OWNER, Git
from pm_orchestrator.adapters.git.user.git_ignored import literally, repository_above
from pm_orchestrator.ports.checkout import Checkout

DEFAULT_TARGET = "main"


class GitCheckout(Checkout):
    """Asks git, with nothing of the repository's own switched on."""

    def __init__(self, git: Git, project: Path) -> None:
        self._git = git
        self._project = project

    @override
    async def branch(self) -> str:
        shown = await self._ask("symbolic-ref", "--short", "--quiet", "HEAD")
        return shown or DEFAULT_TARGET

    @override
    async def remote(self) -> str | None:
        names = (await self._ask("remote")).split()
        return "origin" if "origin" in names else next(iter(names), None)

    @override
    async def exclude(self, name: str) -> None:
        await exclude(self._git, self._project, name)

    async def _ask(self, *arguments: str) -> str:
        # Not a repository, or a detached HEAD: there is nothing to say, and the run
        # itself will say what is wrong when it looks for its base.
        result = await self._git.run(
            self._project, *arguments, accept=(0, 1, 128), settings={"safe.directory": "*"}
        )
        return result.stdout.decode("utf-8", "replace").strip() if result.exit_code == 0 else ""


async def exclude(git: Git, project: Path, name: str) -> None:
    """Let git ignore `name` in `project`, in this clone only; without a repository nothing."""
    top = await asyncio.to_thread(repository_above, project)
    if top is None:
        return
    shown = await git.run(project, "rev-parse", "--git-path", "info/exclude", settings=ANY_OWNER)
    path = project / os.fsdecode(shown.stdout.rstrip(b"\n"))
    below = "".join(f"/{part}" for part in project.relative_to(top).parts)
    await asyncio.to_thread(_add_line, path, f"{literally(below)}/{literally(name)}")


def _add_line(path: Path, line: str) -> None:
    text = path.read_text("utf-8", "surrogateescape") if path.exists() else ""
    if line in text.splitlines():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    end = "" if not text or text.endswith("\n") else "\n"
    with path.open("a", encoding="utf-8", errors="surrogateescape") as file:
        file.write(f"{end}{line}\n")
