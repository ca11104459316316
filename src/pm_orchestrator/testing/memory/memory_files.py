"""Durable files in memory that can lose power at any write.

`die_at` counts writes from one. The fatal write leaves nothing, or with `torn`
half of its bytes; a replacement is atomic and so leaves the old file either way.
With `reorder` a log line reaches the disk before the files it names, as a real disk
may do it.
"""

import asyncio
from collections.abc import AsyncGenerator, Collection
from contextlib import asynccontextmanager
from pathlib import Path

from typing_extensions import override

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.ports.store import DurableFiles


class PowerCut(BaseException):
    """The machine went dark; nothing after this runs."""


class MemoryFiles(DurableFiles):
    """A disk as a dictionary. `writes` counts the durable writes so far."""

    def __init__(
        self,
        disk: dict[Path, bytes] | None = None,
        *,
        die_at: int | None = None,
        torn: bool = False,
        reorder: bool = False,
        full: bool = False,
    ) -> None:
        self.disk: dict[Path, bytes] = {} if disk is None else disk
        self.links: dict[Path, Path] = {}
        self.writes = 0
        self._gone: set[Path] = set()
        self.full = full
        self._die_at = die_at
        self._torn = torn
        self._reorder = reorder
        self._locks: dict[Path, asyncio.Lock] = {}

    def dump(self) -> None:
        """Put everything onto the real disk, for readers that look there."""
        for path, data in self.disk.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        for path in self._gone - self.disk.keys():
            path.unlink(missing_ok=True)

    def _write(self, path: Path, before: bytes, data: bytes, *, atomic: bool = False) -> None:
        if self.full:
            raise PmError("disk", path=path, reason="No space left on device")
        self.writes += 1
        if self.writes == self._die_at:
            if self._torn and not atomic:
                self.disk[path] = before + data[: len(data) // 2]
            raise PowerCut
        self.disk[path] = before + data

    @override
    async def create(self, path: Path, data: bytes) -> None:
        if path in self.disk:
            raise FileExistsError(path)
        await asyncio.sleep(0)
        self._write(path, b"", data)

    @override
    async def replace(self, path: Path, data: bytes) -> None:
        await asyncio.sleep(0)
        self._write(path, b"", data, atomic=True)

    @override
    async def append(self, path: Path, data: bytes) -> None:
        await asyncio.sleep(0)
        self._write(path, self.disk.get(path, b""), data)

    @override
    async def create_and_append(
        self, new: dict[Path, bytes], log: Path, line: bytes, ahead: Path
    ) -> None:
        _ = ahead  # Every write here is durable at once.
        if self._reorder:
            await self.append(log, line)
        for path, data in new.items():
            await self.create(path, data)
        if not self._reorder:
            await self.append(log, line)

    @override
    async def recover(self, log: Path, ahead: Path) -> None:
        _ = log, ahead

    @override
    def note(self, path: Path, data: bytes) -> None:
        self._write(path, self.disk.get(path, b""), data)

    @override
    async def cut(self, path: Path, size: int) -> None:
        await asyncio.sleep(0)
        self._write(path, b"", self.disk[path][:size], atomic=True)

    @override
    async def link(self, path: Path, target: Path) -> None:
        self.links[path] = target

    @override
    async def remove(self, paths: Collection[Path]) -> None:
        for path in paths:
            await asyncio.sleep(0)
            if path in self.disk:
                self._write(path, b"", b"", atomic=True)
                del self.disk[path]
                self._gone.add(path)

    @override
    async def keep_room(self, path: Path, size: int) -> None:
        await self.replace(path, bytes(size))

    @override
    @asynccontextmanager
    async def exclusive(self, path: Path) -> AsyncGenerator[None]:
        async with self._locks.setdefault(path, asyncio.Lock()):
            yield

    @override
    def size(self, path: Path) -> int:
        return len(self.disk.get(path, b""))

    @override
    def names(self, folder: Path) -> tuple[str, ...]:
        below = (path.relative_to(folder) for path in self.disk if folder in path.parents)
        return tuple(sorted({path.parts[0] for path in below}))

    @override
    def read(self, path: Path, offset: int = 0) -> bytes:
        if path not in self.disk:
            raise FileNotFoundError(path)
        return self.disk[path][offset:]
