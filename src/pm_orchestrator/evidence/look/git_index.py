"""Files that git was told not to look at: a mark in its index, which no commit shows.

Read as git writes it in the versions 2 and 3, with SHA-1: another index is left as it is.
What is changed here is a copy for a view; git itself never sees it elsewhere.
"""

import hashlib
import struct
from collections.abc import Iterator
from typing import NamedTuple

HEADER = struct.Struct(">4sLL")
BEFORE_FLAGS, FLAGS = 60, struct.Struct(">H")
ASSUME_UNCHANGED, EXTENDED, NAME_LENGTH = 0x8000, 0x4000, 0x0FFF
SKIP_WORKTREE = 0x4000
DIGEST = 20
VERSIONS = frozenset({2, 3})


class _Entry(NamedTuple):
    name: bytes
    at: int
    """Where its flags stand."""
    flags: int
    extended: int

    @property
    def hidden(self) -> bool:
        return bool(self.flags & ASSUME_UNCHANGED or self.extended & SKIP_WORKTREE)


def unhidden(index: bytes, before: bytes) -> bytes:
    """`index` with no more files hidden from git than there were `before`."""
    known = {entry.name for entry in _entries(before) if entry.hidden}
    new = [entry for entry in _entries(index) if entry.hidden and entry.name not in known]
    if not new:
        return index
    content = bytearray(index[:-DIGEST])
    for entry in new:
        FLAGS.pack_into(content, entry.at, entry.flags & ~ASSUME_UNCHANGED)
        if entry.flags & EXTENDED:
            FLAGS.pack_into(content, entry.at + FLAGS.size, entry.extended & ~SKIP_WORKTREE)
    return bytes(content) + hashlib.sha1(content, usedforsecurity=False).digest()


def _entries(index: bytes) -> Iterator[_Entry]:
    if len(index) < HEADER.size + DIGEST:
        return
    mark, version, count = HEADER.unpack_from(index)
    if mark != b"DIRC" or version not in VERSIONS or not _is_whole(index):
        return
    at = HEADER.size
    for _ in range(count):
        (flags,) = FLAGS.unpack_from(index, at + BEFORE_FLAGS)
        start, extended = at + BEFORE_FLAGS + FLAGS.size, 0
        if flags & EXTENDED:
            (extended,) = FLAGS.unpack_from(index, start)
            start += FLAGS.size
        # A name that is too long for its field ends where it ends.
        end = index.index(b"\0", start + min(flags & NAME_LENGTH, len(index) - start))
        yield _Entry(index[start:end], at + BEFORE_FLAGS, flags, extended)
        # Filled up to eight bytes, with one at least.
        at += (end - at + 8) & ~7


def _is_whole(index: bytes) -> bool:
    """Whether its own digest fits; git may leave it out."""
    digest = hashlib.sha1(index[:-DIGEST], usedforsecurity=False).digest()
    return index[-DIGEST:] in {digest, bytes(DIGEST)}
