"""Durable files on a local disk.

A name is durable only when its directory is: POSIX promises nothing about a new
file whose directory was not fsynced. So every new name costs a directory fsync,
which is nearly free right after the file's own (the journal is already written).
"""

import asyncio
import errno
import fcntl
import os
import stat
import threading
import time
from collections.abc import AsyncGenerator, Callable, Collection
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path

from typing_extensions import override

from pm_orchestrator.adapters.stores.write_ahead import ENTRY_LIMIT, WriteAhead, boot_id
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.ports.clock import Clock
from pm_orchestrator.ports.store import DurableFiles

LOCK_POLL_S = 0.005
CANCEL_POLL_S = 0.001
WRITERS = 4
QUICK_S = 0.01
"""Nobody notices that the others wait as long for one write."""
NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
END = os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC | os.O_NONBLOCK
"""Not waiting: a pipe that somebody put in the place of a file has no reader."""
START = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK
DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
FILE_MODE = 0o600
"""Records are the user's own; nobody else needs to read them."""


class LocalFiles(DurableFiles):
    """As long as the disk is quick it is waited for in place: a thread would cost more.

    Once a write took longer than `quick_s`, the next ones run in threads, so that workers
    keep moving meanwhile; until one is quick again.
    """

    def __init__(
        self,
        clock: Clock,
        lock_timeout_s: float = 30.0,
        boot: str | None = None,
        quick_s: float = QUICK_S,
    ) -> None:
        self._clock = clock
        self._lock_timeout_s = lock_timeout_s
        self._quick_s = quick_s
        self._is_quick = quick_s > 0
        self._writers = ThreadPoolExecutor(WRITERS, thread_name_prefix="files")
        self._boot = boot or boot_id()
        self._aheads: dict[Path, WriteAhead] = {}

    @override
    async def create(self, path: Path, data: bytes) -> None:
        await self._to_the_end(path, lambda: _create(path, data))

    @override
    async def replace(self, path: Path, data: bytes) -> None:
        await self._to_the_end(path, lambda: _replace(path, data))

    @override
    async def append(self, path: Path, data: bytes) -> None:
        await self._to_the_end(path, lambda: _append(path, data))

    @override
    async def create_and_append(
        self, new: dict[Path, bytes], log: Path, line: bytes, ahead: Path
    ) -> None:
        await self._to_the_end(log, lambda: self._create_and_append(new, log, line, ahead))

    def _create_and_append(
        self, new: dict[Path, bytes], log: Path, line: bytes, ahead: Path
    ) -> None:
        opened: list[int] = []
        changed: set[Path] = set()
        made: list[Path] = []
        try:
            for path, data in new.items():
                opened.append(_open(path, NEW, changed))
                made.append(path)
                _write_all(opened[-1], data)
                changed.add(path.parent)
            # After the files, so that whoever kills us leaves no line without them.
            opened.append(_open_end(log, changed))
            place = os.fstat(opened[-1]).st_size
            _write_all(opened[-1], line)
            made.clear()
            if sum(map(len, new.values())) > ENTRY_LIMIT:
                _sync(opened)
                _sync_directories(changed)
            else:
                self._ahead(ahead).commit(new, log, place, line)
        except OSError:
            # Half a record takes room on a full disk, and looks like one that nobody made.
            _unlink(made)
            raise
        finally:
            for handle in opened:
                os.close(handle)

    def _ahead(self, path: Path) -> WriteAhead:
        if path not in self._aheads:
            self._aheads[path] = WriteAhead(path, self._boot)
        return self._aheads[path]

    @override
    async def recover(self, log: Path, ahead: Path) -> None:
        # Asked before the lock, so that looking at a project writes nothing to it. Where
        # even the directory is gone, that was no power cut.
        if log.parent.is_dir() and self._ahead(ahead).outlived_a_boot():
            async with self.exclusive(log):
                await self._to_the_end(log, self._ahead(ahead).recover)

    async def _to_the_end(self, path: Path, job: Callable[[], None]) -> None:
        """Run `job` and wait for it, even when cancelled meanwhile."""
        with _Named(path):
            if self._is_quick:
                self._timed(job)
                return
            running = self._writers.submit(self._timed, job)
            try:
                await asyncio.wrap_future(running)
            except asyncio.CancelledError:
                # A thread cannot be stopped; leaving it behind would let it write
                # after its caller's lock is gone.
                await _until_done(running)
                raise

    def _timed(self, job: Callable[[], None]) -> None:
        began = time.perf_counter()
        job()
        self._is_quick = time.perf_counter() - began < self._quick_s

    @override
    def note(self, path: Path, data: bytes) -> None:
        with _Named(path):
            _note(path, data)

    @override
    async def cut(self, path: Path, size: int) -> None:
        await self._to_the_end(path, lambda: _cut(path, size))

    @override
    async def link(self, path: Path, target: Path) -> None:
        await self._to_the_end(path, lambda: _link(path, target))

    @override
    async def remove(self, paths: Collection[Path]) -> None:
        if paths:
            await self._to_the_end(next(iter(paths)), lambda: _remove(paths))

    @override
    async def keep_room(self, path: Path, size: int) -> None:
        await self._to_the_end(path, lambda: _keep_room(path, size))

    @override
    @asynccontextmanager
    async def exclusive(self, path: Path) -> AsyncGenerator[None]:
        # A file beside it, because the file itself may be replaced while locked.
        lock = path.with_name(path.name + ".lock")
        with _Named(lock):
            handle = _open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, set())
        try:
            await self._take(handle, path)
            yield
        finally:
            os.close(handle)

    async def _take(self, handle: int, path: Path) -> None:
        deadline = self._clock.monotonic() + self._lock_timeout_s
        while not _try_lock(handle):
            if self._clock.monotonic() >= deadline:
                raise PmError("owner_alive", what=path, holder="?")
            await self._clock.sleep(LOCK_POLL_S)

    @override
    def size(self, path: Path) -> int:
        try:
            return path.stat().st_size
        except FileNotFoundError:
            return 0

    @override
    def names(self, folder: Path) -> tuple[str, ...]:
        try:
            return tuple(sorted(entry.name for entry in folder.iterdir()))
        except (FileNotFoundError, NotADirectoryError):
            return ()

    @override
    def read(self, path: Path, offset: int = 0) -> bytes:
        handle = os.open(path, START)
        try:
            about = os.fstat(handle)
            if not stat.S_ISREG(about.st_mode):
                raise OSError(errno.EINVAL, "it is not a regular file", str(path))
            return _read_from(handle, offset, about.st_size)
        finally:
            os.close(handle)


class _Named:
    """Turns what the disk says into an error that names the file."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        return

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, OSError) and not isinstance(error, FileExistsError):
            reason = os.strerror(error.errno) if error.errno else str(error)
            raise PmError("disk", path=self._path, reason=reason) from error


async def _until_done(running: Future[None]) -> None:
    while not running.done():
        try:
            await asyncio.sleep(CANCEL_POLL_S)
        except asyncio.CancelledError:
            # Already on the way out; the write still has to end first.
            continue


def _create(path: Path, data: bytes) -> None:
    changed = {path.parent}
    handle = _open(path, NEW, changed)
    try:
        _write_all(handle, data)
        os.fsync(handle)
    finally:
        os.close(handle)
    _sync_directories(changed)


def _replace(path: Path, data: bytes) -> None:
    draft = _draft(path)
    changed = {path.parent}
    handle = _open(draft, NEW, changed)
    try:
        _write_all(handle, data)
        os.fsync(handle)
    except OSError:
        _unlink((draft,))
        raise
    finally:
        os.close(handle)
    draft.replace(path)
    _sync_directories(changed)


def _append(path: Path, data: bytes) -> None:
    changed: set[Path] = set()
    handle = _open_end(path, changed)
    try:
        _write_all(handle, data)
        os.fsync(handle)
    finally:
        os.close(handle)
    _sync_directories(changed)


def _open_end(path: Path, changed: set[Path]) -> int:
    try:
        return os.open(path, END)
    except FileNotFoundError:
        changed.add(path.parent)
        return _open(path, END | os.O_CREAT, changed)


def _note(path: Path, data: bytes) -> None:
    handle = _open(path, END | os.O_CREAT, set())
    try:
        _write_all(handle, data)
    finally:
        os.close(handle)


def _cut(path: Path, size: int) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.ftruncate(handle, size)
        os.fsync(handle)
    finally:
        os.close(handle)


def _link(path: Path, target: Path) -> None:
    changed = {path.parent, *_make_directories(path)}
    draft = _draft(path)
    draft.symlink_to(target)
    draft.replace(path)
    _sync_directories(changed)


def _keep_room(path: Path, size: int) -> None:
    """Not waited for: after a power cut there is nothing that would need the room."""
    handle = _open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, set())
    try:
        os.posix_fallocate(handle, 0, size)
    except OSError:
        _unlink((path,))
        raise
    finally:
        os.close(handle)


def _unlink(paths: Collection[Path]) -> None:
    for path in paths:
        path.unlink(missing_ok=True)


def _remove(paths: Collection[Path]) -> None:
    _unlink(paths)
    _sync_directories({path.parent for path in paths if path.parent.is_dir()})


def _draft(path: Path) -> Path:
    """A free name beside `path`; process and thread keep two writers apart."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}.tmp")
    draft.unlink(missing_ok=True)
    return draft


def _open(path: Path, flags: int, changed: set[Path]) -> int:
    """Open, making missing directories; `changed` takes those that got a new name."""
    try:
        return os.open(path, flags, FILE_MODE)
    except FileNotFoundError:
        changed.update(_make_directories(path))
        return os.open(path, flags, FILE_MODE)


def _make_directories(path: Path) -> list[Path]:
    """Make what is missing above `path`; returns the directories that got a new name."""
    missing = [directory for directory in path.parents if not directory.is_dir()]
    for directory in reversed(missing):
        directory.mkdir(exist_ok=True)
    return [directory.parent for directory in missing]


def _read_from(handle: int, offset: int, size: int) -> bytes:
    """All there is from `offset` on, with one call where it has not grown meanwhile."""
    parts: list[bytes] = []
    while part := os.pread(handle, max(size - offset, 0) + 1, offset):
        parts.append(part)
        offset += len(part)
    return b"".join(parts)


def _write_all(handle: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(handle, rest) :]


def _sync_directories(directories: set[Path]) -> None:
    for directory in directories:
        handle = os.open(directory, DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _sync(handles: list[int]) -> None:
    for handle in handles:
        os.fsync(handle)


def _try_lock(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EWOULDBLOCK, errno.EAGAIN):
            return False
        raise
    return True
