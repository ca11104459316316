"""The hands without a sandbox: the project directory itself, with the user's own rights.

Programs are not held back by anything but their limits. The file methods keep the
rules of a sandbox's workspace all the same, so that a path means the same in both.
"""

import asyncio
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from msgspec.structs import replace
from typing_extensions import override

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.ports.hands import DirectoryEntry, Hands
from pm_orchestrator.ports.process import Command, CommandResult, CommandRunner, ProcessWatcher

if TYPE_CHECKING:
    # Most tasks need no file by hand.
    from pm_orchestrator.adapters.sandboxes.workspace_files import WorkspaceFiles

T = TypeVar("T")


class HostHands(Hands):
    """Runs programs in `directory` with the environment `variables`."""

    def __init__(
        self, commands: CommandRunner, directory: Path, variables: Mapping[str, str]
    ) -> None:
        self._commands = commands
        self._directory = directory
        self._variables = variables

    @property
    @override
    def root(self) -> str:
        return str(self._directory)

    @override
    async def run(
        self, argv: tuple[str, ...], *, timeout_s: float = 300.0, output_limit: int = 200_000
    ) -> CommandResult:
        return await self._commands.run(self._command(argv, timeout_s, output_limit))

    @override
    async def follow(
        self,
        argv: tuple[str, ...],
        watcher: ProcessWatcher,
        *,
        timeout_s: float,
        output_limit: int = 0,
        variables: Mapping[str, str] | None = None,
    ) -> CommandResult:
        command = self._command(argv, timeout_s, output_limit)
        environment = {**command.env, **(variables or {})}
        return await self._commands.follow(replace(command, env=environment), watcher)

    @override
    async def read_file(self, path: str, limit: int = 4 * 1024**2) -> bytes:
        def read(workspace: "WorkspaceFiles") -> bytes:
            with os.fdopen(workspace.open_to_read(path, limit), "rb") as file:
                return file.read(limit)

        return await self._with_files(path, read)

    @override
    async def write_file(self, path: str, data: bytes) -> None:
        from pm_orchestrator.adapters.sandboxes.workspace_files import Replacement

        def write(workspace: "WorkspaceFiles") -> None:
            with workspace.locate(path, make_folders=True) as place:
                replacement = Replacement(place)
                try:
                    replacement.write(data)
                    replacement.commit()
                except BaseException:
                    replacement.abandon()
                    raise

        await self._with_files(path, write)

    @override
    async def list_directory(self, path: str) -> tuple[DirectoryEntry, ...]:
        entries = await self._with_files(path, lambda workspace: workspace.entries(path))
        return tuple(DirectoryEntry(name=n, kind=k, size=s) for n, k, s in entries)

    def _command(self, argv: tuple[str, ...], timeout_s: float, output_limit: int) -> Command:
        return Command(
            argv=argv,
            cwd=self._directory,
            env=self._variables,
            timeout_s=timeout_s,
            output_limit=output_limit,
        )

    async def _with_files(self, path: str, act: "Callable[[WorkspaceFiles], T]") -> T:
        from pm_orchestrator.adapters.sandboxes.workspace_files import (
            RefusedError,
            WorkspaceFiles,
        )

        def work() -> T:
            # The user may have come here by a link; below it none leads out.
            with WorkspaceFiles(str(self._directory.resolve())) as workspace:
                return act(workspace)

        try:
            return await asyncio.to_thread(work)
        except OSError as error:
            reason = error.strerror or str(error)
        except (RefusedError, ValueError) as error:
            reason = str(error)
        raise PmError("sandbox_path_refused", path=path, reason=reason)
