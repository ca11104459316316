"""What is in the commits of a run's repository, read without a working tree."""

import os
import posixpath
from collections.abc import Iterable, Sequence

from pm_orchestrator.adapters.git.refs import object_id
from pm_orchestrator.adapters.git.run.bare_repository import BareRepository
from pm_orchestrator.adapters.git.trees import (
    RawChange,
    TreeEntry,
    blobs,
    entries,
    plain_path,
    printable_path,
    raw_changes,
    with_sizes,
)
from pm_orchestrator.domain.judging.effect import Standing
from pm_orchestrator.domain.judging.outcome import CommitInfo, FileChange

PATHS_PER_CALL = 200


class CommitReader:
    """Files, changes and history of the commits in `repository`."""

    def __init__(self, repository: BareRepository) -> None:
        self._repository = repository

    async def files(self, commit: str) -> tuple[str, ...]:
        """Paths of all files in a commit."""
        listing = await self._repository.run(
            "ls-tree", "-r", "-z", "--full-tree", object_id(commit)
        )
        return tuple(printable_path(e.name) for e in entries(listing.stdout) if not e.is_submodule)

    async def changes(self, base: str, commit: str) -> tuple[FileChange, ...]:
        """What is different in `commit`, renames found."""
        difference = await self._repository.run(
            "diff-tree",
            "-r",
            "-z",
            "--raw",
            "--no-abbrev",
            "--find-renames",
            "--no-ext-diff",
            "--no-textconv",
            object_id(base),
            object_id(commit),
        )
        changes = raw_changes(difference.stdout)
        return with_sizes(changes, await self._sizes(commit, changes))

    async def commits(self, base: str, commit: str) -> tuple[CommitInfo, ...]:
        """Commits on `commit` that are not on `base`, oldest first."""
        log = await self._repository.run(
            "log",
            "-z",
            "--reverse",
            "--topo-order",
            "--encoding=UTF-8",
            "--format=%H %s",
            f"{object_id(base)}..{object_id(commit)}",
        )
        lines = [text.decode("utf-8", "replace") for text in log.stdout.split(b"\0") if text]
        return tuple(
            CommitInfo(sha=sha, subject=subject)
            for sha, _, subject in (text.strip("\n").partition(" ") for text in lines)
        )

    async def read(self, commit: str, path: str) -> bytes | None:
        """A regular file's content, or None when there is none."""
        found = await self._entry(commit, path)
        return await self._blob(found) if found is not None and found.is_regular else None

    async def read_all(self, commit: str, paths: Iterable[str]) -> dict[str, bytes]:
        """Contents of those of the paths that are regular files, in a few calls."""
        wanted = [path for path in dict.fromkeys(paths) if plain_path(path)]
        found: dict[str, bytes] = {}
        for start in range(0, len(wanted), PATHS_PER_CALL):
            some = wanted[start : start + PATHS_PER_CALL]
            listing = await self._repository.run(
                "ls-tree", "-z", "--full-tree", object_id(commit), "--", *some
            )
            regular = [e for e in entries(listing.stdout) if e.is_regular]
            asked = "".join(f"{e.oid}\n" for e in regular).encode("ascii")
            shown = await self._repository.run("cat-file", "--batch", stdin=asked)
            found |= zip((e.name for e in regular), blobs(shown.stdout), strict=True)
        return found

    async def holds(self, commit: str, path: str) -> bool:
        """Whether there is a file, or a link to a file of the same commit.

        A link to nowhere holds nothing, and what a link out of the tree shows was not
        delivered with it.
        """
        found = await self._entry(commit, path)
        if found is None or not found.is_link:
            # A directory of a commit is never empty.
            named_so = path.endswith("/") or "." not in posixpath.basename(path)[1:]
            return found is not None and (found.is_regular or (found.is_directory and named_so))
        there = await self._led_to(commit, path, found)
        return there is not None and there.is_regular

    async def standing(self, commit: str, path: str) -> Standing:
        """What stands under a path; a directory is what holds files."""
        found = await self._entry(commit, path.rstrip("/"))
        if found is None or found.is_submodule:
            return Standing()
        if found.is_link:
            there = await self._led_to(commit, path, found)
            return Standing(kind="link", leads=there is not None)
        if found.is_regular:
            return Standing(kind="file", executable=found.mode == "100755")
        return Standing(kind="directory")

    async def _led_to(self, commit: str, path: str, link: TreeEntry) -> TreeEntry | None:
        leads_to = os.fsdecode(await self._blob(link))
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), leads_to))
        return await self._entry(commit, target)

    async def _entry(self, commit: str, path: str) -> TreeEntry | None:
        path = path.rstrip("/")
        if not plain_path(path):
            return None
        listing = await self._repository.run(
            "ls-tree", "-z", "--full-tree", object_id(commit), "--", path
        )
        return next((e for e in entries(listing.stdout) if e.name == path), None)

    async def _blob(self, entry: TreeEntry) -> bytes:
        return (await self._repository.run("cat-file", "blob", entry.oid)).stdout

    async def _sizes(self, commit: str, changes: Sequence[RawChange]) -> dict[str, int]:
        names = [change.name for change in changes if change.kind != "deleted"]
        sizes: dict[str, int] = {}
        for start in range(0, len(names), PATHS_PER_CALL):
            some = names[start : start + PATHS_PER_CALL]
            listing = await self._repository.run(
                "ls-tree", "-z", "-l", "--full-tree", commit, "--", *some
            )
            sizes.update((entry.name, entry.size) for entry in entries(listing.stdout))
        return sizes
