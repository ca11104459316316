"""Hands that write down every program before they run it."""

import shlex
from collections.abc import Awaitable, Callable, Mapping

from typing_extensions import override

from pm_orchestrator.ports.hands import DirectoryEntry, Hands
from pm_orchestrator.ports.process import CommandResult, ProcessWatcher


class LoggedHands(Hands):
    """The hands of somebody else, with a line to `log` for every program."""

    def __init__(self, inner: Hands, log: Callable[[str], Awaitable[None]]) -> None:
        self._inner = inner
        self._log = log

    @property
    @override
    def root(self) -> str:
        return self._inner.root

    @override
    async def run(
        self, argv: tuple[str, ...], *, timeout_s: float = 300.0, output_limit: int = 200_000
    ) -> CommandResult:
        await self._note(argv)
        return await self._inner.run(argv, timeout_s=timeout_s, output_limit=output_limit)

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
        await self._note(argv)
        return await self._inner.follow(
            argv, watcher, timeout_s=timeout_s, output_limit=output_limit, variables=variables
        )

    @override
    async def read_file(self, path: str, limit: int = 4 * 1024**2) -> bytes:
        return await self._inner.read_file(path, limit)

    @override
    async def write_file(self, path: str, data: bytes) -> None:
        await self._inner.write_file(path, data)

    @override
    async def list_directory(self, path: str) -> tuple[DirectoryEntry, ...]:
        return await self._inner.list_directory(path)

    async def _note(self, argv: tuple[str, ...]) -> None:
        line = shlex.join(argv)
        await self._log(line.encode("utf-8", "backslashreplace").decode())
