"""Reading single files out of a tree that was saved before a task."""

from typing import Protocol

import msgspec

from pm_orchestrator.ports.rescue import Saved


class SavedFile(msgspec.Struct, frozen=True, kw_only=True):
    """One path of a saved tree."""

    path: str
    content: bytes | None
    """None where it was not there; for a symbolic link, where it leads."""
    link: bool = False


class SavedFiles(Protocol):
    """Contents as they were when the tree was saved."""

    async def differences(self, one: Saved, other: Saved) -> tuple[SavedFile, ...]:
        """Every path that differs between two saved trees, as it is in the first.

        Raises:
            PmError: E801 when one of them cannot be read, or they are not in one place.
        """
        ...

    async def read(self, saved: Saved, path: str) -> bytes | None:
        """A file's bytes; None when it was not there, or was left out of the saving.

        Raises:
            PmError: E801 when the saved tree itself cannot be read.
        """
        ...

    async def names_in(self, saved: Saved, folder: str) -> tuple[str, ...]:
        """What is in a folder, folders with a slash at the end; empty is the top.

        Raises:
            PmError: E801 when the saved tree itself cannot be read.
        """
        ...
