"""Branches as a place: every sub-task has a clone in a sandbox of its own.

Nothing here touches the user's working tree. Commits arrive in the run's own repository,
are judged on pristine checkouts, merged there, and brought to the user's repository as
branches at the end, whatever the end is.
"""

import posixpath
from collections.abc import Sequence
from pathlib import Path

import msgspec
from typing_extensions import override

from pm_orchestrator.agents.merger import Merger
from pm_orchestrator.dispatch.pool import WorkerPool
from pm_orchestrator.dispatch.replies import failed_reply, result_in, work_payload
from pm_orchestrator.domain.company.assignment import Assignment, AttemptResult
from pm_orchestrator.domain.history.run_events import BrokeDown, Queued, WorkerEvent
from pm_orchestrator.domain.judging.effect import Effect, Recorded, Refs, Standing
from pm_orchestrator.domain.judging.finding import OddFinding
from pm_orchestrator.domain.judging.outcome import CommitInfo, FileChange
from pm_orchestrator.domain.tasks.task import SubTask
from pm_orchestrator.evidence.records.open_log import OpenLog
from pm_orchestrator.evidence.records.run_log import RunLogs
from pm_orchestrator.gates.detect.setup_recipes import SetupRecipe
from pm_orchestrator.ports.events import EventSink
from pm_orchestrator.ports.repository import MergeResult, Repository
from pm_orchestrator.runner.places.handover import Handover
from pm_orchestrator.runner.places.judged.checkout_gates import CheckoutGates, Checkouts
from pm_orchestrator.runner.places.place import Delivered, Judged, Place, Seen, names_below
from pm_orchestrator.runner.records.execution_record import log_dispatch

COMPANY = "company"
"""Who works on the task, in its records."""
TREES_AHEAD = 4
FILES_AHEAD = 500
BYTES_AHEAD = 16 * 1024**2
"""What is read ahead of whoever looks at a tree, at most."""


class BranchParts(msgspec.Struct, frozen=True, kw_only=True):
    """What a company works with."""

    project: Path
    base: str
    repository: Repository
    handover: Handover
    pool: WorkerPool
    merger: Merger
    checkouts: Checkouts
    events: EventSink
    logs: RunLogs
    log: OpenLog


class Branches(Place):
    """A tree is a commit of the run's repository."""

    def __init__(self, parts: BranchParts) -> None:
        self._parts = parts
        self._repository = parts.repository
        self._listing: tuple[str, ...] | None = None
        self._ahead: dict[str, dict[str, bytes]] = {}
        """Contents that were read ahead: each file alone costs two calls of git."""

    @property
    @override
    def splits(self) -> bool:
        return True

    @property
    @override
    def executor(self) -> str:
        return COMPANY

    @property
    @override
    def unbuilt(self) -> SetupRecipe | None:
        return self._parts.checkouts.unbuilt

    @override
    async def open(self) -> None:
        await self._parts.checkouts.refuse_too_large(self._parts.project, self._parts.base)
        await self._repository.import_base(self._parts.project, self._parts.base)

    @override
    async def read_base(self, path: str) -> bytes | None:
        return await self._repository.read(self._parts.base, path)

    @override
    async def exists(self, path: str) -> bool:
        files = await self.listing()
        return path in files or any(name.startswith(f"{path}/") for name in files)

    @override
    async def listing(self) -> tuple[str, ...]:
        if self._listing is None:
            self._listing = await self._repository.files(self._parts.base)
        return self._listing

    @override
    async def names_in(self, folder: str) -> tuple[str, ...]:
        return names_below(await self.listing(), folder)

    @override
    async def can_run(self, argv: tuple[str, ...]) -> bool:
        if "/" in argv[0] and not self._parts.checkouts.brings(argv[0]):
            return argv[0] in await self.listing()
        return await self._parts.checkouts.can_run(argv)

    @override
    async def refs(self) -> Refs | None:
        return Refs(head=self._parts.base)

    @override
    async def begin(self, named: tuple[str, ...]) -> tuple[OddFinding, ...]:
        # A commit needs no saving: nobody can change it.
        return ()

    @override
    async def attempt(self, assignment: Assignment) -> AttemptResult:
        ticket, number = assignment.sub_task.ticket, assignment.attempt
        await self._parts.events.publish(WorkerEvent(subject=ticket, detail=Queued(attempt=number)))
        await log_dispatch(self._parts.log, COMPANY, f"{ticket} {assignment.sub_task.title}")
        reply = await self._parts.pool.assign(work_payload(assignment), key=f"{ticket}/{number}")
        if reply.type == "task_complete":
            return result_in(reply)
        # Whatever stopped the worker is no word of its agent, and no attempt either.
        error = failed_reply(reply)
        broke = BrokeDown(text=error.what())
        await self._parts.events.publish(WorkerEvent(subject=ticket, detail=broke))
        await self._parts.logs.line("errors.log", f"{ticket} {error}")
        raise error

    @override
    def named(self, path: str) -> str:
        return posixpath.normpath(path) if path else path

    @override
    async def look(
        self, tree: str | None, wanted: tuple[str, ...], modes: tuple[str, ...] = ()
    ) -> Seen:
        base = self._parts.base
        there = tree if tree and await self._repository.descends(tree, base) else base
        changes = () if there == base else await self._repository.changes(base, there)
        absent = [p for p in wanted if not await self._repository.holds(there, p)]
        if there != base:
            changes += await self._changed_modes(there, set(modes) - {c.path for c in changes})
        return Seen(tree=there, changes=changes, absent=frozenset(absent))

    async def _changed_modes(self, tree: str, paths: set[str]) -> tuple[FileChange, ...]:
        """Files whose content is the same, and that became executable or ceased to be."""
        found: list[FileChange] = []
        for path in sorted(paths):
            was = await self._repository.standing(self._parts.base, path)
            now = await self._repository.standing(tree, path)
            if was.kind == now.kind == "file" and was.executable != now.executable:
                content = await self._repository.read(tree, path) or b""
                found.append(FileChange(path=path, kind="modified", size=len(content)))
        return tuple(found)

    @override
    async def standing(self, seen: Seen, path: str) -> Standing:
        return await self._repository.standing(seen.tree, path)

    @override
    async def recorded(self, seen: Seen, since: Refs, asked: tuple[Effect, ...]) -> Recorded | None:
        # Whatever is delivered here is a commit; other refs are the user's alone.
        committed = frozenset(change.path for change in seen.changes)
        return Recorded(refs=Refs(head=seen.tree), committed=committed)

    @override
    async def commits(self, tree: str | None) -> tuple[CommitInfo, ...]:
        return () if tree is None else await self._repository.commits(self._parts.base, tree)

    @override
    async def read_now(self, seen: Seen, path: str) -> bytes | None:
        if seen.tree not in self._ahead:
            self._ahead[seen.tree] = await self._repository.read_all(seen.tree, _small(seen))
            for tree in list(self._ahead)[:-TREES_AHEAD]:
                del self._ahead[tree]
        ahead = self._ahead.get(seen.tree, {})
        if path in ahead:
            return ahead[path]
        return await self._repository.read(seen.tree, path)

    @override
    async def read_some(self, seen: Seen, paths: Sequence[str], limit: int) -> dict[str, bytes]:
        found = await self._repository.read_all(seen.tree, paths)
        return {path: content for path, content in found.items() if len(content) <= limit}

    @override
    async def judged(self, seen: Seen) -> Judged:
        return CheckoutGates(self._parts.checkouts, seen.tree, self._parts.base)

    @override
    async def written_since(self, seen: Seen) -> tuple[OddFinding, ...]:
        return ()

    @override
    async def merge(self, into: str, commit: str, sub_task: SubTask) -> MergeResult:
        return await self._parts.merger.merge(into, commit, sub_task)

    @override
    async def deliver(self, tree: str | None, *, complete: bool) -> Delivered:
        return await self._parts.handover.deliver(tree, complete=complete)

    @override
    async def put_aside(self) -> tuple[str, ...]:
        return await self._parts.handover.put_aside()


def _small(seen: Seen) -> list[str]:
    """The changed files in their order, without large ones, as far as there is room."""
    room = BYTES_AHEAD
    found: list[str] = []
    there = [change for change in seen.changes if change.kind != "deleted"]
    for change in there[:FILES_AHEAD]:
        if change.size <= room // 4:
            room -= change.size
            found.append(change.path)
    return found
