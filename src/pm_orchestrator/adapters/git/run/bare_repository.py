"""Git on one bare repository of ours, and on exactly that one.

Whatever is damaged, git must not look further up for another repository; so its
directory is named in every call.
"""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from pm_orchestrator.adapters.git.command import Git
from pm_orchestrator.ports.process import CommandResult


class BareRepository:
    """A bare repository with no configuration but what we wrote."""

    def __init__(self, git: Git, directory: Path) -> None:
        self._git = git
        self.directory = directory

    async def run(
        self,
        *arguments: str,
        accept: tuple[int, ...] = (0,),
        settings: Mapping[str, str] | None = None,
        environment: Mapping[str, str] | None = None,
        stdin: bytes = b"",
    ) -> CommandResult:
        """Run git here.

        Raises:
            PmError: as `Git.run`.
        """
        return await self._git.run(
            self.directory,
            *arguments,
            accept=accept,
            settings=settings,
            environment={"GIT_DIR": str(self.directory), **(environment or {})},
            stdin=stdin,
        )

    async def create(self, object_format: str) -> None:
        """Make it, empty; an existing one is left as it is."""
        await asyncio.to_thread(self.directory.mkdir, parents=True, exist_ok=True)
        await self.run(
            "init",
            "--quiet",
            "--bare",
            "--template=",
            "--initial-branch=agent/none",
            f"--object-format={object_format}",
        )

    async def sees(self, other: "BareRepository") -> None:
        """Find the objects of another one, too, and only those."""
        alternates = self.directory / "objects" / "info" / "alternates"
        await asyncio.to_thread(alternates.write_text, f"{other.directory / 'objects'}\n", "utf-8")

    async def exists(self) -> bool:
        """Whether it has been made."""
        return await asyncio.to_thread((self.directory / "HEAD").exists)

    async def resolve(self, ref: str) -> str:
        """The commit that `ref` names."""
        return line(
            await self.run("rev-parse", "--verify", "--end-of-options", f"{ref}^{{commit}}")
        )

    async def is_ancestor(self, old: str, new: str) -> bool:
        """Whether `new` contains `old`."""
        answer = await self.run("merge-base", "--is-ancestor", old, new, accept=(0, 1, 128))
        # 128: one of them is not here at all, so nothing here descends from it.
        return answer.exit_code == 0

    @asynccontextmanager
    async def scratch(self) -> AsyncGenerator["BareRepository"]:
        """A repository for one operation that sees our objects and adds none to them."""
        shown = await self.run("rev-parse", "--show-object-format")
        with TemporaryDirectory(prefix="scratch-", dir=self.directory) as folder:
            scratch = BareRepository(self._git, Path(folder))
            await scratch.create(line(shown))
            await scratch.sees(self)
            yield scratch


def line(result: CommandResult) -> str:
    """The one line that git printed."""
    return result.stdout.decode("ascii").strip()
