"""The trees beside the project's own that an executor can write to as easily.

A project may be a part of its repository, and there may be repositories in it. What is done
there is seen, saved and undone like the rest, with one difference: somebody else may be at
work there at the same time. So nothing is put back but what the task itself has changed, and
of that only what nobody has changed since.
"""

import asyncio
import posixpath
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import msgspec
from msgspec.structs import replace

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.judging.finding import OddFinding
from pm_orchestrator.domain.judging.outcome import FileChange
from pm_orchestrator.evidence.look.differences import compare, is_delivered, printable
from pm_orchestrator.evidence.look.snapshot import DirectoryWalk, Rules, Scan, under
from pm_orchestrator.ports.ignored import IgnoredFiles
from pm_orchestrator.ports.rescue import Exchanged, Rescue, Saved, Tree
from pm_orchestrator.ports.saved_files import SavedFiles
from pm_orchestrator.runner.places.plain_files import has_name
from pm_orchestrator.runner.places.workspace import REPORTED, Before, tree_of

BESIDE = ".beside"
"""Ends the names under which they are saved, behind the run and the task."""
AFTERWARDS = ".after"
"""Ends the name of what a task left, beside what was there before it."""
MOST = 20
"""Repositories inside; of more the project's own look says that they are not saved."""
OUTSIDE = "../"


class NeighbourParts(msgspec.Struct, frozen=True, kw_only=True):
    """What one of them is looked at and saved with."""

    walk: DirectoryWalk
    ignored: IgnoredFiles
    rescue: Rescue


class BesideWork(msgspec.Struct, frozen=True, kw_only=True):
    """What was done around the project, named as the project would name it."""

    changes: tuple[FileChange, ...] = ()
    there: frozenset[str] = frozenset()
    """Of the files that somebody wants there, those that hold something."""

    def odd(self, wanted: Iterable[str]) -> tuple[OddFinding, ...]:
        """What nobody spoke of."""
        named = frozenset(wanted)
        return tuple(
            OddFinding(kind="changed_outside", path=change.path, note=change.kind)
            for change in self.changes
            if not named & {change.path, change.previous_path}
        )[:REPORTED]


class _Neighbour:
    """One tree; `prefix` leads to it from the project."""

    def __init__(
        self, root: Path, prefix: str, parts: NeighbourParts, left_out: frozenset[str]
    ) -> None:
        self.root = root
        self.prefix = prefix
        self.rescue = parts.rescue
        self._parts = parts
        self._left_out = left_out
        self.before: Before | None = None

    def called(self, path: str) -> str:
        """How the project calls one of its files."""
        return posixpath.normpath(posixpath.join(self.prefix, path))

    async def look(self, more: frozenset[str] = frozenset()) -> tuple[Rules, Scan]:
        """Its files, without what git ignores; `more` was none of our business before."""
        ignored = await self._parts.ignored.ignored(self.root) | self._left_out | more
        rules = Rules(ignored=ignored)
        return rules, await asyncio.to_thread(self._parts.walk.look, rules)

    async def tree(self, more: frozenset[str] = frozenset()) -> Tree:
        rules, scan = await self.look(more)
        return tree_of(self.root, scan.files, rules.ignored)

    async def begin(self, name: str) -> Saved:
        rules, scan = await self.look()
        saved = await self.rescue.save(tree_of(self.root, scan.files, rules.ignored), name)
        self.before = Before(scan=scan, rules=rules, saved=saved, findings=())
        return saved


class Neighbours:
    """All of them; without a repository around or inside there are none."""

    def __init__(
        self,
        project: Path,
        around: Path | None,
        make: Callable[[Path], NeighbourParts],
        saved_files: SavedFiles,
    ) -> None:
        """`around` is the top of the repository that the project is a part of."""
        self._project = project
        self._around = around
        self._make = make
        self._saved_files = saved_files
        self._begun: list[_Neighbour] = []

    async def begin(
        self, name: str, nested: Iterable[str], task_id: str | None
    ) -> tuple[OddFinding, ...]:
        """See and save them; returns what could not be. `task_id` is of a task that goes on."""
        found: list[OddFinding] = []
        for neighbour in (*self._surroundings(), *self._repositories(nested)):
            try:
                saved = await neighbour.begin(f"{name}{BESIDE}")
                if task_id is not None:
                    await self._from_first(neighbour, task_id)
            except PmError as error:
                # Undo ends here; the work of the task does not.
                odd = OddFinding(kind="not_saved", path=neighbour.prefix, note=error.what())
                found.append(odd)
                continue
            paths = (neighbour.called(path) for path in saved.skipped)
            found += [OddFinding(kind="not_saved", path=path) for path in paths]
            self._begun.append(neighbour)
        return tuple(found)

    def saves(self, nested: str) -> bool:
        """Whether a repository inside is held."""
        return any(neighbour.prefix == nested for neighbour in self._begun)

    async def look(self, wanted: Iterable[str]) -> BesideWork:
        """What became of what is around; the project's own look sees what is inside."""
        outside = BesideWork()
        for neighbour in self._begun:
            before = neighbour.before
            if before is None or not neighbour.prefix.startswith(".."):
                continue
            rules, scan = await neighbour.look(before.rules.ignored)
            now = {p: s for p, s in scan.files.items() if p in before.files or _is_new(p, rules)}
            named = {neighbour.called(path): path for path in {*now, *before.files}}
            changes = compare(before.files, now, scan.unseen)
            outside = BesideWork(
                changes=tuple(_called(change, neighbour) for change in changes),
                there=frozenset(p for p in wanted if p in named and is_delivered(named[p], now)),
            )
        return outside

    async def read_base(self, path: str) -> bytes | None:
        """A file of what is around, as it was before the task."""
        for neighbour in self._begun:
            base = None if neighbour.before is None else neighbour.before.base
            inner = posixpath.relpath(path, neighbour.prefix)
            if base is not None and not inner.startswith(OUTSIDE):
                return await self._saved_files.read(base, inner)
        return None

    async def keep(self, name: str) -> None:
        """Save what the task has left there, whether or not it changed anything."""
        for neighbour in self._begun:
            before = neighbour.before
            if before is None or before.saved is None:
                continue
            try:
                tree = await neighbour.tree(before.rules.ignored)
                await neighbour.rescue.save(tree, f"{name}{BESIDE}{AFTERWARDS}", before.saved)
            except PmError:
                # The work lies there and was judged; undo begins at what is there then.
                continue

    async def exchange(
        self, names: Sequence[str], nested: Iterable[str], *, forward: bool
    ) -> Exchanged:
        """Take back what the runs of a task, oldest first, did there; or bring it back."""
        done = Exchanged()
        for neighbour in (*self._surroundings(), *self._repositories(nested)):
            try:
                steps = await _steps(neighbour, names)
                if await _has_moved(neighbour, steps):
                    # Its commits stay, and their files with them: half put back is neither.
                    done = replace(done, left=(*done.left, f"{neighbour.prefix}/"))
                    continue
                for before, after in steps if forward else reversed(steps):
                    origin, target = (before, after) if forward else (after, before)
                    current = await _now(neighbour, names[0], before)
                    some = await neighbour.rescue.exchange(neighbour.root, current, origin, target)
                    done = _together(done, some, neighbour)
            except PmError as error:
                done = replace(done, left=(*done.left, f"{neighbour.prefix} ({error.what()})"))
        return done

    def _surroundings(self) -> list[_Neighbour]:
        if self._around is None:
            return []
        own = self._project.relative_to(self._around).as_posix()
        prefix = posixpath.relpath(".", own)
        parts = self._make(self._around)
        return [_Neighbour(self._around, prefix, parts, frozenset({f"{own}/"}))]

    def _repositories(self, nested: Iterable[str]) -> list[_Neighbour]:
        """Those inside, the first of too many."""
        paths = [path for path in nested if has_name(self._project / path / ".git")]
        return [
            _Neighbour(self._project / path, path, self._make(self._project / path), frozenset())
            for path in paths[:MOST]
        ]

    async def _from_first(self, neighbour: _Neighbour, task_id: str) -> None:
        """A task that goes on is judged from what was there before its first run."""
        names = await neighbour.rescue.names(neighbour.root, f"{task_id}{BESIDE}")
        first = await neighbour.rescue.find(neighbour.root, names[0]) if names else None
        if first is not None and neighbour.before is not None:
            from pm_orchestrator.runner.places.first_base import since_first

            neighbour.before = await since_first(neighbour.before, first, self._saved_files)


async def _steps(neighbour: _Neighbour, names: Sequence[str]) -> list[tuple[Saved, Saved]]:
    """Of each run what was there before it and after it."""
    found: list[tuple[Saved, Saved]] = []
    after: Saved | None = None
    for name in reversed(names):
        before = await neighbour.rescue.find(neighbour.root, f"{name}{BESIDE}")
        if before is None:
            continue
        ended = f"{name}{BESIDE}{AFTERWARDS}"
        # A run that was cut off left what the next one found, or what is there now.
        after = await neighbour.rescue.find(neighbour.root, ended) or after
        if after is None:
            after = await neighbour.rescue.save(await neighbour.tree(before.ignored), ended, before)
        found.append((before, after))
        after = before
    return found[::-1]


async def _has_moved(neighbour: _Neighbour, steps: Sequence[tuple[Saved, Saved]]) -> bool:
    """Whether a repository inside has commits of its own since."""
    if not steps or neighbour.prefix.startswith(".."):
        return False
    head = await neighbour.rescue.head(neighbour.root)
    return head.commit != steps[0][0].head


async def _now(neighbour: _Neighbour, name: str, before: Saved) -> Saved:
    """Everything there is saved once more before anything of it is written over."""
    tree = await neighbour.tree(before.ignored)
    return await neighbour.rescue.save(tree, f"{name}{BESIDE}.now", before)


def _together(done: Exchanged, some: Exchanged, neighbour: _Neighbour) -> Exchanged:
    return Exchanged(
        written=(*done.written, *map(neighbour.called, some.written)),
        removed=(*done.removed, *map(neighbour.called, some.removed)),
        left=(*done.left, *map(neighbour.called, some.left)),
    )


def _called(change: FileChange, neighbour: _Neighbour) -> FileChange:
    before = change.previous_path
    return replace(
        change,
        path=printable(neighbour.called(change.path)),
        previous_path=None if before is None else printable(neighbour.called(before)),
    )


def _is_new(path: str, rules: Rules) -> bool:
    return not under(path, rules.ignored)
