"""Durable files: when a call returns, the bytes survive a power cut."""

from pathlib import Path
from typing import Protocol


class DurableFiles(Protocol):
    """The only writer of the Runner's own records.

    Every write is fsynced, together with its directory entry where that is new.
    """

    async def create(self, path: Path, data: bytes) -> None:
        """Write a new file.

        Raises:
            FileExistsError: it is there already; a record is never overwritten.
        """
        ...

    async def replace(self, path: Path, data: bytes) -> None:
        """Put `data` in the place of the file at once: readers see the old or the new."""
        ...

    async def append(self, path: Path, data: bytes) -> None:
        """Add to the end, creating the file where there is none."""
        ...

    async def create_and_append(self, new: dict[Path, bytes], log: Path, line: bytes) -> None:
        """Create all of `new` and append `line` to `log`; all are durable on return.

        If the process dies half-way, `line` is not in `log` unless every new file
        is complete. This is the one write an evidence record costs.
        """
        ...

    def read(self, path: Path) -> bytes:
        """Raises FileNotFoundError."""
        ...
