"""Durable files for the owner of a session: a former owner's writes are refused.

A process that was stopped, lost its place and woke up would otherwise write over
the work of the owner after it.
"""

from collections.abc import Collection
from contextlib import AbstractAsyncContextManager
from pathlib import Path

from typing_extensions import override

from pm_orchestrator.ports.ownership import Ownership
from pm_orchestrator.ports.store import DurableFiles


class FencedFiles(DurableFiles):
    """Every change first asks whether `owner` still owns.

    Raises:
        PmError: E402 when it does not; nothing is written then.
    """

    def __init__(self, files: DurableFiles, owner: Ownership) -> None:
        self._files = files
        self._owner = owner

    @override
    async def create(self, path: Path, data: bytes) -> None:
        self._owner.confirm()
        await self._files.create(path, data)

    @override
    async def replace(self, path: Path, data: bytes) -> None:
        self._owner.confirm()
        await self._files.replace(path, data)

    @override
    async def append(self, path: Path, data: bytes) -> None:
        self._owner.confirm()
        await self._files.append(path, data)

    @override
    async def create_and_append(
        self, new: dict[Path, bytes], log: Path, line: bytes, ahead: Path
    ) -> None:
        self._owner.confirm()
        await self._files.create_and_append(new, log, line, ahead)

    @override
    async def recover(self, log: Path, ahead: Path) -> None:
        self._owner.confirm()
        await self._files.recover(log, ahead)

    @override
    def note(self, path: Path, data: bytes) -> None:
        self._owner.confirm()
        self._files.note(path, data)

    @override
    async def cut(self, path: Path, size: int) -> None:
        self._owner.confirm()
        await self._files.cut(path, size)

    @override
    async def link(self, path: Path, target: Path) -> None:
        self._owner.confirm()
        await self._files.link(path, target)

    @override
    async def remove(self, paths: Collection[Path]) -> None:
        self._owner.confirm()
        await self._files.remove(paths)

    @override
    async def keep_room(self, path: Path, size: int) -> None:
        self._owner.confirm()
        await self._files.keep_room(path, size)

    @override
    def exclusive(self, path: Path) -> AbstractAsyncContextManager[None]:
        return self._files.exclusive(path)

    @override
    def size(self, path: Path) -> int:
        return self._files.size(path)

    @override
    def names(self, folder: Path) -> tuple[str, ...]:
        return self._files.names(folder)

    @override
    def read(self, path: Path, offset: int = 0) -> bytes:
        return self._files.read(path, offset)
