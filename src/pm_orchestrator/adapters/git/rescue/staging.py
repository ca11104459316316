"""The files of one moment as a tree, and the user's staging area beside it.

Each git that is started costs more than what it does here, so none is started whose
answer is known: an index that did not change was kept before, and files that
are tracked although a rule ignores them are looked for only if one is missing.
"""

import asyncio
import os
from collections.abc import Iterable
from pathlib import Path

from pm_orchestrator.adapters.git.refs import object_id
from pm_orchestrator.adapters.git.rescue.beside_the_tree import below
from pm_orchestrator.adapters.git.rescue.rescue_memo import KeptIndex, about_index
from pm_orchestrator.adapters.git.rescue.rescue_place import RescuePlaces, RescueRepository
from pm_orchestrator.adapters.git.trees import fields_of
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.ports.process import CommandResult
from pm_orchestrator.ports.rescue import Tree

INDEXES = "refs/pm/rescue-index/"
"""Index files, by their own id; rescues of the same state share one."""
ARGUMENTS = 100_000
"""Bytes of path names in one command line."""
MOST_LARGE = 500
NESTED = b"160000"


class Staging:
    """Our index of one place, brought to the state of the files."""

    def __init__(self, places: RescuePlaces, place: RescueRepository) -> None:
        self._places = places
        self._place = place

    async def write_tree(self, tree: Tree) -> tuple[str, tuple[str, ...]]:
        """The id of the tree, and what could not be read or is a repository of its own.

        Raises:
            PmError: E904 with more large files than can be left out by name.
        """
        _refuse_too_many(tree.large)
        # Only reading a large one would take for ever.
        added = await self._places.run(
            self._place,
            *("add", "--all", "--ignore-errors", "--", "."),
            accept=(0, 1),
            without=sorted(tree.large),
        )
        written, listed = await self._write_and_list()
        nested, names = _listed(listed)
        # They are here only because a rule was dropped, or was not there at an earlier save.
        foreign = [name for name in names if below(name, tree.ignored)] if tree.ignored else []
        foreign += tree.large & names
        for portion in portions(foreign):
            await self._run("update-index", "--force-remove", "--", *portion)
        seen = tree.modes.keys() | tree.links
        missing = [p for p in seen - names if not below(p, tree.ignored) and not _in(p, nested)]
        forced = bool(missing) and self._place.user and await self._add_ignored_but_tracked()
        if foreign or forced:
            written = await self._run("write-tree")
        trouble = added.stderr.decode("utf-8", "replace").splitlines() if added.exit_code else []
        errors = (line for line in trouble if line.startswith("error:"))
        return _text(written), (*sorted(nested), *sorted(tree.large), *errors)

    async def forget(self) -> None:
        """Begin with an empty index of our own."""
        await asyncio.to_thread((self._place.private / "index").unlink, missing_ok=True)

    async def keep_index(self, last: KeptIndex | None) -> KeptIndex | None:
        """Keep the user's index: the file itself, and a commit of what is staged."""
        place, places = self._place, self._places
        about = await asyncio.to_thread(about_index, place.index)
        if place.index is None or not about:
            return None
        if last is not None and last.about == about and await self._all_there(last):
            return last
        data = await asyncio.to_thread(place.index.read_bytes)
        await asyncio.to_thread((place.private / "user-index").write_bytes, data)
        blob = await places.add_object(place, "blob", data)
        await places.point(place, f"{INDEXES}{blob}", blob)
        # Fails for an index with conflicts; the file itself is kept all the same.
        tree = await places.run(place, "write-tree", accept=(0, 128), index="user-index")
        staged = None
        if tree.exit_code == 0:
            staged = await places.add_commit(place, _text(tree), (), "index")
        return KeptIndex(about=about, blob=blob, staged=staged)

    async def _all_there(self, kept: KeptIndex) -> bool:
        for oid in (kept.blob, kept.staged):
            if oid is not None and not await self._places.has(self._place, oid):
                return False
        return True

    async def _write_and_list(self) -> tuple[CommandResult, CommandResult]:
        """Side by side: neither changes what the other reads."""
        write = asyncio.ensure_future(self._run("write-tree"))
        try:
            listed = await self._run("ls-files", "-z", "--stage")
        finally:
            # Whatever happened, no git may still be at work on our index.
            await asyncio.wait((write,))
        return write.result(), listed

    async def _add_ignored_but_tracked(self) -> bool:
        """A file the user tracks is theirs although a rule ignores it."""
        listed = await self._places.run_refs(
            self._place, "ls-files", "-z", "--cached", "--ignored", "--exclude-standard"
        )
        names = [os.fsdecode(n) for n in fields_of(listed.stdout) if n]
        there = await asyncio.to_thread(_existing, self._place.project, names)
        for portion in portions(there):
            await self._run("add", "--force", "--ignore-errors", "--", *portion, accept=(0, 1))
        return bool(there)

    async def _run(self, *arguments: str, accept: tuple[int, ...] = (0,)) -> CommandResult:
        return await self._places.run(self._place, *arguments, accept=accept)


def _listed(listed: CommandResult) -> tuple[set[str], set[str]]:
    """Nested repositories, and all names, of `ls-files -z --stage`."""
    nested: set[str] = set()
    names: set[str] = set()
    for line in fields_of(listed.stdout):
        if line:
            name = os.fsdecode(line[line.index(b"\t") + 1 :])
            names.add(name)
            if line.startswith(NESTED):
                nested.add(name)
    return nested, names


def _refuse_too_many(large: frozenset[str]) -> None:
    if len(large) > MOST_LARGE or sum(map(len, large)) > ARGUMENTS:
        raise PmError("rescue_too_large", reason=f"{len(large)} files are too large to be read")


def _in(path: str, nested: Iterable[str]) -> bool:
    return any(path.startswith(f"{folder}/") for folder in nested)


def _text(result: CommandResult) -> str:
    return object_id(result.stdout.decode("ascii").strip())


def _existing(project: Path, names: list[str]) -> list[str]:
    return [name for name in names if os.path.lexists(project / name)]


def portions(names: list[str]) -> list[list[str]]:
    """Names in pieces that fit into a command line."""
    portions: list[list[str]] = []
    room = 0
    for name in names:
        room -= len(name) * 4 + 1
        if room < 0:
            portions.append([])
            room = ARGUMENTS
        portions[-1].append(name)
    return portions
