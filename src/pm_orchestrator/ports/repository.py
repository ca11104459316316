"""The run's own repository: where agents' commits arrive, are looked at and merged.

It shares no storage with the user's checkout and no configuration with anybody,
so nothing an agent commits can make host-side git run a program.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Protocol

import msgspec

from pm_orchestrator.domain.judging.effect import Standing
from pm_orchestrator.domain.judging.outcome import CommitInfo, FileChange


class MergeResult(msgspec.Struct, frozen=True, kw_only=True):
    """A merge that worked has a commit; one that did not has conflicts."""

    commit: str | None
    conflicts: tuple[str, ...] = ()


class Uncommitted(msgspec.Struct, frozen=True, kw_only=True):
    """What of the user's working tree is in no commit."""

    count: int
    first: tuple[str, ...] = ()
    """The first twenty paths, from the top of the repository."""


class Repository(Protocol):
    """A bare repository that belongs to one run. Every operation is written to `git.log`.

    All methods raise PmError E801 when git itself fails.
    """

    async def resolve(self, project: Path, ref: str) -> str:
        """The commit that `ref` names in the user's repository.

        Raises:
            PmError: E102 when `project` is no repository or has no commits, E210 for a
                name of nothing.
        """
        ...

    async def import_base(self, project: Path, ref: str) -> str:
        """Copy `ref` of the user's repository in and return its commit id.

        Raises:
            PmError: E102 when `project` is no repository or has no commits.
        """
        ...

    async def tree_size(self, project: Path, commit: str) -> int:
        """Bytes of all files of a commit of the user's repository, whatever git packs them to."""
        ...

    async def bundle(self, commit: str, branch: str, *, beyond_base: bool = False) -> bytes:
        """A bundle that holds `commit` under the branch name `branch`.

        With `beyond_base` without what the imported base reaches, for who sees that anyway.
        """
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

    async def read_all(self, commit: str, paths: Iterable[str]) -> dict[str, bytes]:
        """Contents of those of the paths that are regular files of a commit, in a few calls."""
        ...

    async def holds(self, commit: str, path: str) -> bool:
        """Whether a path holds something: a file, or a link to a file of the same commit."""
        ...

    async def standing(self, commit: str, path: str) -> Standing:
        """What stands under a path in a commit; a directory is what holds files."""
        ...

    async def merge(self, into: str, commit: str, message: str) -> MergeResult:
        """Merge without any working tree."""
        ...

    async def edited(
        self, commit: str, base: str, back: tuple[str, ...], contents: Mapping[str, bytes]
    ) -> str:
        """A commit like `commit`, with some paths as they are in `base` and some files replaced.

        No ref leads to it.
        """
        ...

    async def set_branch(self, branch: str, commit: str) -> None: ...

    async def own_refs(self) -> dict[str, str]:
        """All that can be exported, with the commits: branches, rescues, what was replaced."""
        ...

    async def export(self, project: Path, refs: tuple[str, ...]) -> None:
        """Bring refs of this repository into the user's repository.

        Only refs below `refs/heads/agent/` and `refs/pm/`; the working tree,
        index and current branch of the user are not touched.
        """
        ...

    async def push(self, project: Path, remote: str, branch: str) -> None:
        """Push one of our own branches from the user's repository to its remote."""
        ...

    async def uncommitted(self, project: Path) -> Uncommitted:
        """What a run that starts from HEAD leaves out.

        Modified, staged and untracked files that are not ignored, without anything below
        `.claude` and `.pm-orchestrator`. Nothing the repository configures is run, and
        nothing is written; a place that cannot be asked has none.
        """
        ...

    async def user_refs(self, project: Path, pattern: str) -> tuple[str, ...]:
        """Refs of ours in the user's repository: one with all below it, or `*` for one name.

        Raises:
            PmError: E802 for a pattern of what is not ours.
        """
        ...

    async def put_aside(self, project: Path, moves: Mapping[str, str]) -> None:
        """Let rescue refs (`refs/pm/…`) of the user's repository take the place of our branches.

        `moves` names the rescue ref of each branch (`refs/heads/agent/…`). All move or none.

        Raises:
            PmError: E802 for a ref that is not ours; E803 when a branch is checked out in any
                worktree; E801 when a branch is not there or a rescue ref is already.
        """
        ...

    async def bring_back(self, project: Path, moves: Mapping[str, str]) -> None:
        """Undo `put_aside` with the same moves; the errors are the same."""
        ...

    async def merge_into(
        self, project: Path, branch: str, commit: str, message: str
    ) -> MergeResult:
        """Move an integration branch of the user's repository so that it contains `commit`.

        Fast-forward, or a merge made without any working tree; after conflicts nothing has
        moved. Which branches may be moved is the caller's rule.

        Raises:
            PmError: E802 for main and master, whatever the caller says; E803 when the branch
                is checked out in any worktree; E210 when there is no such branch.
        """
        ...
