"""How much one look at a directory may take: files, bytes and time, whatever lies there.

A look that would never end proves nothing, and keeps a person waiting for it. The limits
are far beyond what a project has; what is behind them is named, with the way out.
"""

from time import monotonic
from typing import BinaryIO, Protocol

import msgspec

from pm_orchestrator.domain.errors import PmError

CHUNK = 1 << 18
LARGE = 128 * 1024**2
"""Bytes of one file: what is larger is known by its outside, neither read nor saved."""


class Digest(Protocol):
    """What takes bytes in, as hashes do."""

    def update(self, data: bytes, /) -> None: ...


class LookLimits(msgspec.Struct, frozen=True, kw_only=True):
    """Of one look."""

    files: int = 1_000_000
    bytes: int = 16 * 1024**3
    """Of files that have to be read; what is known already costs nothing."""
    seconds: float = 120.0


class LookBudget:
    """What is left of them in one look at `root`."""

    def __init__(self, root: str, limits: LookLimits) -> None:
        self._root = root
        self._limits = limits
        self._files = 0
        self._bytes = 0
        self._until = monotonic() + limits.seconds

    def spend_folder(self, entries: int) -> None:
        """A directory was listed.

        Raises:
            PmError: E904 where that was too much.
        """
        self._files += entries
        if self._files > self._limits.files:
            self._refuse(f"more than {self._limits.files} files")
        self._check_time()

    def read(self, file: BinaryIO, into: Digest) -> bool:
        """Read all of a file; False where it is larger than it was said to be.

        Raises:
            PmError: E904 where that is too much.
        """
        size = 0
        while chunk := file.read(CHUNK):
            into.update(chunk)
            size += len(chunk)
            if size > LARGE:
                return False
        self._bytes += size
        if self._bytes > self._limits.bytes:
            self._refuse(f"more than {self._limits.bytes} bytes to read")
        if size > CHUNK:
            self._check_time()
        return True

    def _check_time(self) -> None:
        if monotonic() > self._until:
            self._refuse(f"looking at it took longer than {self._limits.seconds:g} s")

    def _refuse(self, reason: str) -> None:
        raise PmError("tree_too_large", path=self._root, reason=reason)
