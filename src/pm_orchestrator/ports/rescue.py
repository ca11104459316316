"""Keeping the user's files as they are at one moment, so that they can be put back."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Protocol

import msgspec


class Tree(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be saved, as the Runner saw it."""

    project: Path
    modes: Mapping[str, int]
    """Permission bits of every regular file that counts."""
    links: frozenset[str] = frozenset()
    """Symbolic links that count."""
    ignored: frozenset[str]
    """Paths that are none of our business, in the form of `IgnoredFiles`."""
    large: frozenset[str] = frozenset()
    """Files that are too large to be saved."""
    digest: str
    """One name for all contents and permissions."""
    size: int
    """Bytes in all files together that are saved."""


class Saved(msgspec.Struct, frozen=True, kw_only=True):
    """A tree that can be put back."""

    ref: str
    commit: str
    place: Path
    """The repository that holds it: the user's, or a private one where they have none."""
    head: str | None
    """Where HEAD was; None without a repository or without a commit."""
    branch: str | None = None
    """The branch that was checked out; None where there was none, or nobody noted it."""
    ignored: frozenset[str] = frozenset()
    """What was none of our business then, and stays so when the tree is put back."""
    skipped: tuple[str, ...] = ()
    """Paths that could not be read or are too large, and nested repositories: not saved."""


class Restored(msgspec.Struct, frozen=True, kw_only=True):
    """What putting back did."""

    written: tuple[str, ...]
    removed: tuple[str, ...]
    head_was: str | None
    head_is: str | None
    branch_was: str | None = None
    branch_is: str | None = None
    index_restored: bool
    """Whether the staging area was put back too; only where HEAD is where it was."""


class Exchanged(msgspec.Struct, frozen=True, kw_only=True):
    """What putting back some files did."""

    written: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    """What somebody has changed since."""


class CheckedOut(msgspec.Struct, frozen=True, kw_only=True):
    """Where HEAD is."""

    commit: str | None
    branch: str | None = None
    """The branch that is checked out, if one is."""


class Rescue(Protocol):
    """Saves and restores whole trees, byte for byte, with modes and symbolic links.

    Working tree, index, HEAD, branches and reflogs stay as they are while saving;
    no hook and no filter of the repository is run. Ignored files are neither saved
    nor touched.

    All methods raise PmError E801 when git fails and E901 when there is none.
    """

    async def save(self, tree: Tree, name: str, beside: Saved | None = None) -> Saved:
        """Save a tree under `refs/pm/rescue/<name>`, in the place of an older one.

        It goes to the repository that holds `beside`, if given.

        Raises:
            PmError: E904 when there is no repository and the files are more than
                the private one may take.
        """
        ...

    async def find(self, project: Path, name: str) -> Saved | None:
        """What was saved under a name."""
        ...

    async def names(self, project: Path, task: str) -> tuple[str, ...]:
        """Names `<run>/<task>` that are saved for a task, oldest run first."""
        ...

    async def latest(self, project: Path) -> Mapping[str, str]:
        """The refs of the latest rescues before and after tasks, each with the commit it names."""
        ...

    async def named_now(self, project: Path, refs: Collection[str]) -> Mapping[str, str]:
        """The commits that these refs name; one that is gone is left out."""
        ...

    async def point(self, project: Path, refs: Mapping[str, str]) -> tuple[str, ...]:
        """Let refs name their commits again; returns those whose commit is still there."""
        ...

    async def restore(self, project: Path, current: Saved, target: Saved) -> Restored:
        """Put `target` back.

        `current` is the tree as it is now, saved just before, beside `target` and
        without what `target` ignored.
        """
        ...

    async def exchange(
        self, project: Path, current: Saved, origin: Saved, target: Saved
    ) -> Exchanged:
        """Where files are as in `origin`, make them as in `target`, and leave all others.

        `current` is the tree as it is now; all three are beside one another.
        """
        ...

    async def forget(self, project: Path, saved: Saved) -> None:
        """Drop the name of a saved tree."""
        ...

    async def head(self, project: Path) -> CheckedOut:
        """The commit and the branch that HEAD names now."""
        ...

    async def descends(self, project: Path, commit: str, base: str) -> bool:
        """Whether `commit` has `base` among its ancestors."""
        ...
