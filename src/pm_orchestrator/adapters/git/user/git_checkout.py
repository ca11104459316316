"""What the user's checkout says about itself, asked of git."""

import asyncio
import os
from pathlib import Path

from typing_extensions import override

from pm_orchestrator.adapters.git.command import ANY_OWNER, Git
from pm_orchestrator.adapters.git.user.git_ignored import literally, repository_above
from pm_orchestrator.adapters.git.user.sheltered import is_sheltered, shelter
from pm_orchestrator.ports.checkout import Checkout

DEFAULT_TARGET = "main"
FILES = ("ls-files", "-z", "--cached", "--others", "--exclude-standard")


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
    async def files(self) -> tuple[str, ...]:
        listed = await self._git.run(self._project, *FILES, settings=ANY_OWNER)
        names = dict.fromkeys(os.fsdecode(name) for name in listed.stdout.split(b"\0") if name)
        return tuple(names)

    @override
    async def exclude(self, *names: str) -> None:
        await exclude(self._git, self._project, *names)

    @override
    async def shelter(self, *folders: Path) -> None:
        # A look at a few small files: a thread would cost more.
        bare = [folder for folder in folders if not is_sheltered(folder)]
        names = [f"{folder.relative_to(self._project).as_posix()}/" for folder in bare]
        listed = await exclude(self._git, self._project, *names) if bare else None
        if listed is not None:
            await asyncio.to_thread(shelter, listed.parent.parent, bare)

    async def _ask(self, *arguments: str) -> str:
        # Not a repository, or a detached HEAD: there is nothing to say, and the run
        # itself will say what is wrong when it looks for its base.
        result = await self._git.run(
            self._project, *arguments, accept=(0, 1, 128), settings={"safe.directory": "*"}
        )
        return result.stdout.decode("utf-8", "replace").strip() if result.exit_code == 0 else ""


async def exclude(git: Git, project: Path, *names: str) -> Path | None:
    """Let git ignore `names` in `project`, in this clone only; where that is written down.

    A name that ends with a slash is a directory. None without a repository.
    """
    top = await asyncio.to_thread(repository_above, project)
    if top is None:
        return None
    shown = await git.run(project, "rev-parse", "--git-path", "info/exclude", settings=ANY_OWNER)
    path = project / os.fsdecode(shown.stdout.rstrip(b"\n"))
    below = "".join(f"/{part}" for part in project.relative_to(top).parts)
    lines = [f"{literally(below)}/{literally(name)}" for name in names]
    await asyncio.to_thread(_add_lines, path, lines)
    return path


def _add_lines(path: Path, lines: list[str]) -> None:
    text = path.read_text("utf-8", "surrogateescape") if path.exists() else ""
    known = set(text.splitlines())
    new = [line for line in lines if line not in known]
    if not new:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    end = "" if not text or text.endswith("\n") else "\n"
    with path.open("a", encoding="utf-8", errors="surrogateescape") as file:
        file.write(end + "".join(f"{line}\n" for line in new))
