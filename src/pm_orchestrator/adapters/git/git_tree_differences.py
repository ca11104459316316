"""How two commits differ, as git counts and writes it."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace
from typing_extensions import override

from pm_orchestrator.adapters.git.command import ANY_OWNER, Git
from pm_orchestrator.adapters.git.refs import object_id
from pm_orchestrator.adapters.git.trees import KINDS, fields_of, printable_path
from pm_orchestrator.domain.judging.line_changes import ChangedLines
from pm_orchestrator.ports.tree_differences import TreeDifferences

LARGE = 1024**2
"""Bytes; nobody reads such a file line by line."""
SETTINGS = {
    **ANY_OWNER,
    # Git takes what is larger for binary, so that it need not be held in memory.
    "core.bigFileThreshold": str(LARGE),
    "core.quotePath": "false",
    "diff.renameLimit": "1000",
}
HOW = ("-r", "--find-renames", "--no-ext-diff", "--no-textconv", "--no-color")
NO_FILE = "000000"
UNCOUNTED = "-"


class GitTreeDifferences(TreeDifferences):
    """Reads objects alone: no filter, no driver, no working tree."""

    def __init__(self, git: Git) -> None:
        self._git = git

    @override
    async def lines(self, repository: Path, before: str, after: str) -> tuple[ChangedLines, ...]:
        shown = await self._git.run(
            repository,
            "diff-tree",
            *HOW,
            "-z",
            "--raw",
            "--numstat",
            object_id(before),
            object_id(after),
            settings=SETTINGS,
        )
        blobs: dict[str, tuple[str, ...]] = {}
        found = sorted(
            _read(map(os.fsdecode, fields_of(shown.stdout)), blobs), key=lambda file: file.path
        )
        sizes = await self._sizes(repository, [oid for oids in blobs.values() for oid in oids])
        return tuple(
            replace(file, contents="large")
            if any(sizes.get(oid, 0) > LARGE for oid in blobs.get(file.path, ()))
            else file
            for file in found
        )

    @override
    async def patch(
        self, repository: Path, before: str, after: str, files: Sequence[ChangedLines]
    ) -> bytes:
        names = dict.fromkeys(name for f in files for name in (f.previous_path, f.path) if name)
        shown = await self._git.run(
            repository,
            "diff-tree",
            *HOW,
            "--patch",
            "--src-prefix=a/",
            "--dst-prefix=b/",
            object_id(before),
            object_id(after),
            "--",
            *names,
            settings=SETTINGS,
        )
        return shown.stdout

    async def _sizes(self, repository: Path, oids: Sequence[str]) -> dict[str, int]:
        if not oids:
            return {}
        shown = await self._git.run(
            repository,
            "cat-file",
            "--batch-check=%(objectsize)",
            stdin="".join(f"{oid}\n" for oid in oids).encode("ascii"),
            settings=ANY_OWNER,
        )
        answers = shown.stdout.decode("ascii", "replace").splitlines()
        return {oid: int(size) for oid, size in zip(oids, answers, strict=True) if size.isdecimal()}


def _read(fields: Iterator[str], blobs: dict[str, tuple[str, ...]]) -> Iterator[ChangedLines]:
    """Records of `--raw --numstat -z`; `blobs` is told those of what has no lines."""
    heads: dict[str, str] = {}
    for head in fields:
        if head.startswith(":"):
            if head.rpartition(" ")[2].startswith("R"):
                next(fields)
            heads[next(fields)] = head
        elif head:
            added, removed, name = head.split("\t", 2)
            # Of a rename both names follow.
            previous = None if name else next(fields)
            name = name or next(fields)
            file, oids = _raw(heads.pop(name), name, previous)
            if added == UNCOUNTED:
                blobs[file.path] = oids
                yield replace(file, contents="binary")
            else:
                yield replace(file, added=int(added), removed=int(removed))


def _raw(head: str, name: str, previous: str | None) -> tuple[ChangedLines, tuple[str, ...]]:
    old_mode, new_mode, old, new, letter = head.removeprefix(":").split(" ")
    file = ChangedLines(
        path=printable_path(name),
        kind=KINDS[letter[0]],
        previous_path=None if previous is None else printable_path(previous),
        mode_before=None if old_mode == NO_FILE else old_mode,
        mode_after=None if new_mode == NO_FILE else new_mode,
    )
    return file, tuple(oid for oid in (old, new) if oid.strip("0"))
