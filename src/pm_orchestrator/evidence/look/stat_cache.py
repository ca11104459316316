"""Contents already hashed need no second reading, as long as nobody can pretend.

A file counts as unchanged only if size, inode, device, modification time *and*
change time are what they were. The change time is set by the kernel alone, so
`utime`, a rename or a swap of equal-sized contents shows. One gap is left: a write
in the same clock tick as the reading before it. So, as git does, an entry whose
times are not safely older than the moment it was read is never believed.
"""

import os
import struct
from collections.abc import Callable

import msgspec

GRANULARITY_NS = 2_000_000_000
"""The coarsest clock of a file system in use (FAT); a finer one only costs a re-reading."""
_SIGNATURE = struct.Struct("<5q")
_PACK = _SIGNATURE.pack
_LOW = (1 << 63) - 1


class FileState(msgspec.Struct, frozen=True, gc=False):
    """One file at one moment."""

    digest: str
    size: int
    mode: int = 0
    """Permission bits; kept for undo, and no part of what counts as a change."""


class CacheEntry(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What was read, when, and how the file looked from outside."""

    signature: bytes
    read_at_ns: int
    state: FileState


class SavedCache(msgspec.Struct, frozen=True, array_like=True):
    """The cache on disk; another version is as good as none."""

    version: int
    entries: dict[str, CacheEntry]


VERSION = 1
KEPT_AT_MOST = 50_000
"""What is more than this is read every time: memory is bounded, whatever an executor writes."""


LOOKED_AT_ONCE = 2_000
"""Names in which secrets are looked for together: few looks, and little memory for each."""


class StatCache:
    """Digests by path, believed only while the file cannot have changed."""

    def __init__(self, entries: dict[str, CacheEntry] | None = None) -> None:
        self._entries = entries or {}
        self._seen: dict[str, CacheEntry] = {}
        self.changed = False
        """Whether it knows anything else than when it was dumped."""

    def find(self, path: str, about: os.stat_result) -> FileState | None:
        """The state of a file that is certainly as it was when it was read."""
        entry = self._entries.get(path)
        if entry is None:
            return None
        modified, changed = about.st_mtime_ns, about.st_ctime_ns
        # As in `_signature`, without the call: this is asked for every file of every look.
        inode, device = about.st_ino & _LOW, about.st_dev & _LOW
        if entry.signature != _PACK(about.st_size, modified, changed, inode, device):
            return None
        safe = entry.read_at_ns - GRANULARITY_NS
        if changed > safe or modified > safe:
            return None
        self._seen[path] = entry
        return entry.state

    def keep(self, path: str, about: os.stat_result, read_at_ns: int, state: FileState) -> None:
        """Remember what was read; `read_at_ns` is the time before the first byte was."""
        if len(self._seen) < KEPT_AT_MOST:
            self._seen[path] = CacheEntry(_signature(about), read_at_ns, state)
            self.changed = True

    def forget_unseen(self) -> None:
        """End of a walk: what it did not meet is gone and needs no memory."""
        self.changed = self.changed or len(self._seen) != len(self._entries)
        self._entries, self._seen = self._seen, {}

    def dump(self, is_secret: Callable[[str], bool]) -> bytes:
        """For the next process. What is called by no text, or by a secret, is read again there."""
        self.changed = False
        storable = {p: e for p, e in self._entries.items() if p.isascii() or _is_text(p)}
        names = tuple(storable)
        for start in range(0, len(names), LOOKED_AT_ONCE):
            some = names[start : start + LOOKED_AT_ONCE]
            for path in filter(is_secret, some) if is_secret("\n".join(some)) else ():
                del storable[path]
        return msgspec.msgpack.encode(SavedCache(VERSION, storable))


def load_cache(data: bytes) -> StatCache:
    """A saved cache; anything unreadable is an empty one, which is only slower."""
    try:
        saved = msgspec.msgpack.decode(data, type=SavedCache)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return StatCache()
    return StatCache(saved.entries) if saved.version == VERSION else StatCache()


def _is_text(path: str) -> bool:
    return not any("\ud800" <= letter <= "\udfff" for letter in path)


def _signature(about: os.stat_result) -> bytes:
    # Inode and device numbers are unsigned 64 bit; masked, they still differ when they differ.
    return _PACK(
        about.st_size,
        about.st_mtime_ns,
        about.st_ctime_ns,
        about.st_ino & _LOW,
        about.st_dev & _LOW,
    )
