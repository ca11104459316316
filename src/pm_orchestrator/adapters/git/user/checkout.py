"""What the user's checkout says about itself: which branch, which remote."""

from pathlib import Path

from pm_orchestrator.adapters.git.command import Git

DEFAULT_TARGET = "main"


class Checkout:
    """Reads the user's repository; changes nothing."""

    def __init__(self, git: Git, project: Path) -> None:
        self._git = git
        self._project = project

    async def branch(self) -> str:
        """The branch that is checked out, which a finished run is proposed to."""
        shown = await self._ask("symbolic-ref", "--short", "--quiet", "HEAD")
        return shown or DEFAULT_TARGET

    async def remote(self) -> str | None:
        """`origin` if there is one, else the first remote, else None."""
        names = (await self._ask("remote")).split()
        return "origin" if "origin" in names else next(iter(names), None)

    async def _ask(self, *arguments: str) -> str:
        # Not a repository, or a detached HEAD: there is nothing to say, and the run
        # itself will say what is wrong when it looks for its base.
        result = await self._git.run(
            self._project, *arguments, accept=(0, 1, 128), settings={"safe.directory": "*"}
        )
        return result.stdout.decode("utf-8", "replace").strip() if result.exit_code == 0 else ""
