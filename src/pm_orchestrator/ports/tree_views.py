"""Other trees at the project's own path: the delivered one without caches, or the one before."""

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Protocol

import msgspec

from pm_orchestrator.ports.process import DirectoryView


class PatchedFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file as it is to be seen."""

    content: bytes
    """For a symbolic link, where it leads."""
    mode: int = 0o644
    link: bool = False


class Patch(msgspec.Struct, frozen=True, kw_only=True):
    """How a tree differs from the directory, by paths in it."""

    files: Mapping[str, PatchedFile] = msgspec.field(default_factory=dict[str, PatchedFile])
    gone: tuple[str, ...] = ()
    """Files that are not there; directories go with all that is in them."""
    hidden: tuple[Path, ...] = ()
    """Files by their whole path, in the directory or not, that nobody is to see."""
    elsewhere: Mapping[Path, bytes] = msgspec.field(default_factory=dict[Path, bytes])
    """What is to be seen in files outside of the directory, by their whole path."""


class TreeView(Protocol):
    """One tree, to be seen by commands."""

    @property
    def directories(self) -> tuple[DirectoryView, ...]:
        """What a command has to be given to see it."""
        ...

    def written(self) -> tuple[str, ...]:
        """Paths that commands have changed, made or taken away in it; folders end with a slash."""
        ...

    def reported(self) -> bytes:
        """What test runners have written about each test: lines of JSON."""
        ...


class TreeViews(Protocol):
    """Makes views of a directory; whatever is written in one is gone with it."""

    def of(self, root: Path, patch: Patch) -> AbstractAsyncContextManager[TreeView | None]:
        """The directory with `patch` applied and without what tools have cached in it.

        None where no view of it can be had here.
        """
        ...


class PatchedCopies(Protocol):
    """Copies of a directory, for where there are no views of it."""

    def of(self, root: Path, patch: Patch) -> AbstractAsyncContextManager[Path | None]:
        """A copy with `patch` applied, gone again afterwards; None when it is too large."""
        ...
