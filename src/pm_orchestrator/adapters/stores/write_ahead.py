"""The write-ahead file: one fsync makes a write to several files durable.

Asking the disk once per file and directory costs five waits for one evidence record.
Here the bytes of all of them go to the end of one file, which is fsynced; the files
themselves are written without waiting. As long as the machine runs, the kernel has
them. After a power cut, known by the boot id, they are written again from here.

The file holds the writes to one log since the last checkpoint, one after the other
without a gap. A checkpoint makes everything durable the ordinary way and empties it.
"""

import os
import struct
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
LIMIT = 1024 * 1024
"""A longer file is worth a checkpoint: it is read once by each process that goes on with it."""
ENTRY_LIMIT = 256 * 1024
"""What is longer is not worth writing twice."""

_APPEND = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
_FRAME = struct.Struct(">II")


class Entry(msgspec.Struct, frozen=True, array_like=True):
    """One write: new files, and a line at a place in the log."""

    boot: str
    new: tuple[tuple[bytes, bytes], ...]
    log: bytes
    at: int
    line: bytes

    @property
    def end(self) -> int:
        """How long the log is after it."""
        return self.at + len(self.line)


_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(Entry)


def boot_id() -> str:
    """What changes exactly when unsynced writes can be lost."""
    return BOOT_ID.read_bytes().strip().decode()


class WriteAhead:
    """One write-ahead file; the caller holds the lock of its log."""

    def __init__(self, path: Path, boot: str) -> None:
        self._path = path
        self._boot = boot
        self._size = -1
        self._log_end = -1

    def commit(self, new: dict[Path, bytes], log: Path, at: int, line: bytes) -> None:
        """Make a write durable that the files themselves have got already."""
        entry = Entry(
            self._boot,
            tuple((os.fsencode(path), data) for path, data in new.items()),
            os.fsencode(log),
            at,
            line,
        )
        payload = _ENCODER.encode(entry)
        frame = _FRAME.pack(len(payload), zlib.crc32(payload)) + payload
        handle, is_new = self._open()
        try:
            size = self._continued(handle, entry)
            _write_all(handle, frame)
            os.fdatasync(handle)
            if is_new:
                _sync(self._path.parent)
        finally:
            os.close(handle)
        self._size, self._log_end = size + len(frame), entry.end

    def outlived_a_boot(self) -> bool:
        """Whether something may have been lost: nothing can be while the machine stays up."""
        first = next(self._entries(), None)
        return first is not None and first.boot != self._boot

    def recover(self) -> None:
        """Write again what a power cut may have taken."""
        if not self.outlived_a_boot():
            return  # Another process was faster.
        touched = {path for entry in self._entries() for path in _replay(entry)}
        for path in sorted(touched | {path.parent for path in touched}):
            _sync(path)
        os.truncate(self._path, 0)
        _sync(self._path)

    def _entries(self) -> Iterator[Entry]:
        """The whole entries; one that was cut off by a crash, and what follows, is none."""
        try:
            data = self._path.read_bytes()
        except FileNotFoundError:
            return
        for frame in _stored_entries(data):
            if not frame.is_whole():
                return
            yield frame.entry()

    def _open(self) -> tuple[int, bool]:
        try:
            return os.open(self._path, _APPEND & ~os.O_CREAT), False
        except FileNotFoundError:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            return os.open(self._path, _APPEND, 0o600), True

    def _continued(self, handle: int, entry: Entry) -> int:
        """The file's length, once it ends where `entry` begins."""
        size = os.fstat(handle).st_size
        follows = size == self._size and entry.at == self._log_end
        if not follows and size:
            # Another process wrote here, or somebody wrote to the log in another way.
            last = _last_stored(os.pread(handle, size, 0))
            follows = last is not None and last.entry().end == entry.at
        if size and (not follows or size > LIMIT):
            _sync_file_system(Path(os.fsdecode(entry.log)).parent)
            os.ftruncate(handle, 0)
            return 0
        return size


class StoredEntry(msgspec.Struct, frozen=True):
    """An entry as it is stored, not looked into yet."""

    checksum: int
    payload: bytes

    def is_whole(self) -> bool:
        return zlib.crc32(self.payload) == self.checksum

    def entry(self) -> Entry:
        return _DECODER.decode(self.payload)


def _stored_entries(data: bytes) -> Iterator[StoredEntry]:
    """One after the other, as far as there is enough of them."""
    place = 0
    while place + _FRAME.size <= len(data):
        length, checksum = _FRAME.unpack_from(data, place)
        place += _FRAME.size + length
        if place > len(data):
            return
        yield StoredEntry(checksum, data[place - length : place])


def _last_stored(data: bytes) -> StoredEntry | None:
    """The last one; None where something follows that is none, or it is not whole itself.

    Those before it are not looked into: each was whole when the next was put behind it.
    """
    last, end = None, 0
    for last in _stored_entries(data):
        end += _FRAME.size + len(last.payload)
    return last if last is not None and end == len(data) and last.is_whole() else None


def _replay(entry: Entry) -> Iterable[Path]:
    """Bring back one write; returns what had to be written."""
    log = Path(os.fsdecode(entry.log))
    for name, data in entry.new:
        path = Path(os.fsdecode(name))
        if not path.is_file() or path.read_bytes() != data:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.unlink(missing_ok=True)
            path.write_bytes(data)
            path.chmod(0o600)
            yield path
    handle = os.open(log, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        if os.pread(handle, len(entry.line), entry.at) != entry.line:
            os.pwrite(handle, entry.line, entry.at)
            yield log
    finally:
        os.close(handle)


def _write_all(handle: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(handle, rest) :]


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _sync_file_system(folder: Path) -> None:
    """One wait for all files at once, where a wait for each would stop the work for long."""
    import ctypes  # needed once in a long while, and slow to load

    library = ctypes.CDLL(None, use_errno=True)
    handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        if library.syncfs(handle):
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), str(folder))
    finally:
        os.close(handle)
