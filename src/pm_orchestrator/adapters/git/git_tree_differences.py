"""How two commits differ, as git counts and writes it."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace
from typing_extensions import override

from pm_orchestrator.adapters.git.command import ANY_OWNER, Git
from pm_orchestrator.adapters.git.refs import object_id
from pm_orchestrator.adapters.git.trees import KINDS, printable_path
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
            "--no-abbrev",
            object_id(before),
            object_id(after),
            settings=SETTINGS,
        )
        fields = iter([os.fsdecode(field) for field in shown.stdout.split(b"\0")])
        found = _read(fields)
        sizes = await self._sizes(repository, [oid for _, oids in found for oid in oids])
        return tuple(
            replace(file, contents="large")
            if file.contents == "binary" and any(sizes.get(oid, 0) > LARGE for oid in oids)
            else file
            for file, oids in found
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
        asked = "".join(f"{object_id(oid)}\n" for oid in oids).encode("ascii")
        shown = await self._git.run(
            repository,
            "cat-file",
            "--batch-check=%(objectname) %(objectsize)",
            stdin=asked,
            settings=ANY_OWNER,
        )
        pairs = (line.split(" ") for line in shown.stdout.decode("ascii", "replace").splitlines())
        return {pair[0]: int(pair[1]) for pair in pairs if len(pair) == 2 and pair[1].isdecimal()}


def _read(fields: Iterator[str]) -> list[tuple[ChangedLines, tuple[str, ...]]]:
    """Records of `--raw --numstat -z`; with each the blobs of what has no lines."""
    raw: dict[str, ChangedLines] = {}
    blobs: dict[str, tuple[str, ...]] = {}
    found: list[tuple[ChangedLines, tuple[str, ...]]] = []
    for head in fields:
        if head.startswith(":"):
            file, oids = _raw(head, fields)
            raw[file.path], blobs[file.path] = file, oids
        elif head:
            added, removed, name = head.split("\t", 2)
            if not name:
                # Of a rename both names follow.
                _, name = next(fields), next(fields)
            path = printable_path(name)
            file = raw[path]
            if added == UNCOUNTED:
                found.append((replace(file, contents="binary"), blobs[path]))
            else:
                counted = replace(file, added=int(added), removed=int(removed))
                found.append((counted, ()))
    return sorted(found, key=lambda one: one[0].path)


def _raw(head: str, fields: Iterator[str]) -> tuple[ChangedLines, tuple[str, ...]]:
    old_mode, new_mode, old, new, letter = head.removeprefix(":").split(" ")
    first = next(fields)
    renamed = letter[0] == "R"
    path = next(fields) if renamed else first
    file = ChangedLines(
        path=printable_path(path),
        kind=KINDS[letter[0]],
        previous_path=printable_path(first) if renamed else None,
        mode_before=None if old_mode == NO_FILE else old_mode,
        mode_after=None if new_mode == NO_FILE else new_mode,
    )
    return file, tuple(oid for oid in (old, new) if oid.strip("0"))
