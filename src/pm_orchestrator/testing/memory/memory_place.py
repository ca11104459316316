"""A place in memory: two trees of files, and gates that end as they are told to.

What a judge makes of a tree can be tried on it without a disk, a repository or a process.
"""

import asyncio
import hashlib
from collections.abc import Callable, Mapping, Sequence

from typing_extensions import override

from pm_orchestrator.domain.company.assignment import Assignment, AttemptResult
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.judging.effect import Effect, Recorded, Refs, Standing
from pm_orchestrator.domain.judging.finding import OddFinding
from pm_orchestrator.domain.judging.gate import Gate, GateKind
from pm_orchestrator.domain.judging.outcome import CommitInfo, ExecutorClaim, FileChange
from pm_orchestrator.domain.tasks.task import SubTask
from pm_orchestrator.ports.process import CommandResult
from pm_orchestrator.ports.repository import MergeResult
from pm_orchestrator.runner.places.place import (
    Delivered,
    Judged,
    OnBase,
    Place,
    Seen,
    TreeEdit,
    names_below,
)

Files = Mapping[str, bytes]
Ending = CommandResult | PmError
GREEN = CommandResult(exit_code=0, stdout=b"1 passed in 0.1s\n", stderr=b"")


class MemoryPlace(Place):
    """`base` is what was there before, `files` what is there now."""

    def __init__(self, base: Files, files: Files, *, comparable: bool = True) -> None:
        self._base = dict(base)
        self.files = dict(files)
        self._comparable = comparable
        self.now: dict[GateKind, Ending] = {}
        """How a gate ends on the delivered tree; green where nothing is said."""
        self.on_base: dict[GateKind, Ending] = {}
        self.edited: Callable[[Gate, TreeEdit], CommandResult] | None = None
        """How a gate ends on a tree that nobody delivered; None where none can be had."""
        self.edited_s = 0.0
        """How long it takes there."""
        self.no_base: str | None = None
        """Why no gate can be run on the base."""
        self.spoiled: tuple[str, ...] = ()
        """Files that gates change and that cannot be put back."""
        self.stands: dict[str, Standing] = {}
        """What is no plain file."""
        self.were: Refs | None = None
        self.recorded_now: Recorded | None = None
        self.ran: list[tuple[GateKind, str]] = []
        """Each gate that was started, and on which of the two trees."""

    @property
    @override
    def splits(self) -> bool:
        return False

    @property
    @override
    def executor(self) -> str:
        return "nobody"

    @override
    async def open(self) -> None:
        """Everything is readable from the start."""

    @override
    async def read_base(self, path: str) -> bytes | None:
        return self._base.get(path)

    @override
    async def exists(self, path: str) -> bool:
        return path in self._base or any(name.startswith(f"{path}/") for name in self._base)

    @override
    async def listing(self) -> tuple[str, ...]:
        return tuple(sorted(self._base))

    @override
    async def refs(self) -> Refs | None:
        return self.were

    @override
    async def names_in(self, folder: str) -> tuple[str, ...]:
        return names_below(self._base, folder)

    @override
    async def can_run(self, argv: tuple[str, ...]) -> bool:
        return "/" not in argv[0] or argv[0] in self._base

    @override
    async def begin(self, named: tuple[str, ...]) -> tuple[OddFinding, ...]:
        return ()

    @override
    async def attempt(self, assignment: Assignment) -> AttemptResult:
        claim = ExecutorClaim(kind="finished", summary="it lies there already")
        return AttemptResult(
            ticket=assignment.sub_task.ticket,
            attempt=assignment.attempt,
            worker=self.executor,
            claim=claim,
        )

    @override
    def named(self, path: str) -> str:
        return path

    @override
    async def look(
        self, tree: str | None, wanted: tuple[str, ...], modes: tuple[str, ...] = ()
    ) -> Seen:
        return Seen(
            tree=_name(self.files),
            changes=_changes(self._base, self.files),
            absent=frozenset(path for path in wanted if path not in self.files),
            comparable=self._comparable,
        )

    @override
    async def standing(self, seen: Seen, path: str) -> Standing:
        if path in self.stands:
            return self.stands[path]
        if any(name.startswith(f"{path}/") for name in self.files):
            return Standing(kind="directory")
        return Standing(kind="file") if path in self.files else Standing()

    @override
    async def recorded(self, seen: Seen, since: Refs, asked: tuple[Effect, ...]) -> Recorded | None:
        return self.recorded_now

    @override
    async def commits(self, tree: str | None) -> tuple[CommitInfo, ...]:
        return ()

    @override
    async def read_now(self, seen: Seen, path: str) -> bytes | None:
        return self.files.get(path)

    @override
    async def read_some(self, seen: Seen, paths: Sequence[str], limit: int) -> dict[str, bytes]:
        there = {path: self.files[path] for path in paths if path in self.files}
        return {path: content for path, content in there.items() if len(content) <= limit}

    @override
    async def judged(self, seen: Seen) -> Judged:
        return _MemoryGates(self)

    @override
    async def written_since(self, seen: Seen) -> tuple[OddFinding, ...]:
        return ()

    @override
    async def merge(self, into: str, commit: str, sub_task: SubTask) -> MergeResult:
        raise PmError("step_unbound", name="merge")

    @override
    async def deliver(self, tree: str | None, *, complete: bool) -> Delivered:
        return Delivered()

    @override
    async def put_aside(self) -> tuple[str, ...]:
        return ()


class _MemoryGates(Judged):
    def __init__(self, place: MemoryPlace) -> None:
        self._place = place

    @override
    async def run(self, gate: Gate) -> CommandResult:
        self._place.ran.append((gate.kind, "now"))
        return _end(self._place.now.get(gate.kind, GREEN))

    @override
    async def run_on_base(self, gate: Gate) -> OnBase:
        if self._place.no_base is not None:
            return OnBase(result=None, why=self._place.no_base)
        self._place.ran.append((gate.kind, "base"))
        return OnBase(result=_end(self._place.on_base.get(gate.kind, GREEN)))

    @override
    async def run_edited(self, gate: Gate, edit: TreeEdit) -> CommandResult | None:
        await asyncio.sleep(self._place.edited_s)
        return None if self._place.edited is None else self._place.edited(gate, edit)

    @override
    async def files(self) -> tuple[str, ...]:
        return tuple(sorted(self._place.files))

    @override
    async def tidy(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        spoiled = self._place.spoiled
        return spoiled, tuple(f"not put back {path}" for path in spoiled)


def _end(ending: Ending) -> CommandResult:
    if isinstance(ending, PmError):
        raise ending
    return ending


def _name(files: Files) -> str:
    return hashlib.sha1(repr(sorted(files.items())).encode(), usedforsecurity=False).hexdigest()


def _changes(base: Files, files: Files) -> tuple[FileChange, ...]:
    found: list[FileChange] = []
    for path in sorted({*base, *files}):
        now = files.get(path)
        if now is None:
            found.append(FileChange(path=path, kind="deleted", size=0))
        elif path not in base:
            found.append(FileChange(path=path, kind="created", size=len(now)))
        elif now != base[path]:
            found.append(FileChange(path=path, kind="modified", size=len(now)))
    return tuple(found)
