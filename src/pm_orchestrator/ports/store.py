"""Durable files: when a call returns, the bytes survive a power cut."""

from collections.abc import Collection
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Protocol


class DurableFiles(Protocol):
    """The only writer of the Runner's own records.

    Every write is fsynced, together with its directory entry where that is new;
    missing directories are made. A write that was begun is finished even when its
    caller is cancelled, so that a lock held around it covers all of it.

    Raises:
        PmError: E902 when the disk refuses.
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

    async def create_and_append(
        self, new: dict[Path, bytes], log: Path, line: bytes, ahead: Path
    ) -> None:
        """Create all of `new` and append `line` to `log`; all are durable on return.

        This is the one write an evidence record costs, so it waits for the disk once:
        `ahead` is a file of the store's own that holds what a power cut may take from
        the others. If the process dies half-way, `line` is not in `log` unless every
        new file is complete; a power cut half-way may leave `line` without them. The
        caller holds `exclusive(log)`.

        Raises:
            FileExistsError: one of `new` is there already; `log` is as it was.
        """
        ...

    async def recover(self, log: Path, ahead: Path) -> None:
        """Bring back what a power cut took of the writes that had returned.

        To be called before `log` is read for the first time. Costs nothing while the
        machine stays up, and never touches what somebody changed since.
        """
        ...

    def note(self, path: Path, data: bytes) -> None:
        """Add to the end without waiting for the disk, for copies that may lag behind.

        Survives the death of this process, not a power cut.
        """
        ...

    async def cut(self, path: Path, size: int) -> None:
        """Shorten the file to `size` bytes: how a torn last line is taken away."""
        ...

    async def link(self, path: Path, target: Path) -> None:
        """Make `path` a symbolic link to `target`, in the place of an older link."""
        ...

    async def remove(self, paths: Collection[Path]) -> None:
        """Take files away; one that is gone already is no error."""
        ...

    async def keep_room(self, path: Path, size: int) -> None:
        """Take `size` bytes of the disk that nobody else can have until `path` is removed."""
        ...

    def exclusive(self, path: Path) -> AbstractAsyncContextManager[None]:
        """Keep every other holder of `path`, in this process or another, waiting.

        Raises:
            PmError: E402 when the holder does not let go in time.
        """
        ...

    def size(self, path: Path) -> int:
        """Length in bytes; 0 where there is no file."""
        ...

    def names(self, folder: Path) -> tuple[str, ...]:
        """What is in a directory, in order; nothing where there is none."""
        ...

    def read(self, path: Path, offset: int = 0) -> bytes:
        """Everything from `offset` on. Raises FileNotFoundError."""
        ...
