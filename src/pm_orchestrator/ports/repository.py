"""The run's own repository: where agents' commits arrive, are looked at and merged.

It shares no storage with the user's checkout and no configuration with anybody,
so nothing an agent commits can make host-side git run a program.
"""

from pathlib import Path
from typing import Protocol

import msgspec

from pm_orchestrator.domain.outcome import CommitInfo, FileChange


class MergeResult(msgspec.Struct, frozen=True, kw_only=True):
    """A merge that worked has a commit; one that did not has conflicts."""

    commit: str | None
    conflicts: tuple[str, ...] = ()


class Repository(Protocol):
    """A bare repository that belongs to one run. Every operation is written to `git.log`.

    All methods raise PmError E801 when git itself fails.
    """

    async def import_base(self, project: Path, ref: str) -> str:
        """Copy `ref` of the user's repository in and return its commit id.

        Raises:
            PmError: E102 when `project` is no repository or has no commits.
        """
        ...

    async def bundle(self, commit: str, branch: str) -> bytes:
        """A bundle that holds `commit` under the branch name `branch`."""
        ...

    async def receive(self, bundle: bytes, source: str, target: str) -> str:
        """Check and take branch `source` from a bundle an agent made; returns its commit id.

        It is stored under the full ref `target`, which must be one of ours
        (`refs/heads/agent/…`, `refs/pm/…`; E802 otherwise).
        """
        ...

    async def files(self, commit: str) -> tuple[str, ...]:
        """Paths of all files in a commit."""
        ...

    async def changes(self, base: str, commit: str) -> tuple[FileChange, ...]: ...

    async def commits(self, base: str, commit: str) -> tuple[CommitInfo, ...]:
        """Commits on `commit` that are not on `base`, oldest first."""
        ...

    async def descends(self, commit: str, base: str) -> bool: ...

    async def read(self, commit: str, path: str) -> bytes | None:
        """A file's content in a commit, or None when it is not there."""
        ...

    async def merge(self, into: str, commit: str, message: str) -> MergeResult:
        """Merge without any working tree."""
        ...

    async def set_branch(self, branch: str, commit: str) -> None: ...

    async def export(self, project: Path, refs: tuple[str, ...]) -> None:
        """Bring refs of this repository into the user's repository.

        Only refs below `refs/heads/agent/` and `refs/pm/`; the working tree,
        index and current branch of the user are not touched.
        """
        ...

    async def push(self, project: Path, remote: str, branch: str) -> None:
        """Push one of our own branches from the user's repository to its remote."""
        ...
