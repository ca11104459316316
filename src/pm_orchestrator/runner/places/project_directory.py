"""The project directory as a place: one executor works in it, as the user would.

The directory is seen and saved before and compared after, so that whatever the executor
says, the difference between the two looks is what it did.
"""

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace
from typing_extensions import override

from pm_orchestrator.agents.news import News
from pm_orchestrator.domain.cancelling import undisturbed
from pm_orchestrator.domain.company.assignment import Assignment, AttemptResult
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.judging.effect import Effect, Recorded, Refs, Standing
from pm_orchestrator.domain.judging.finding import OddFinding
from pm_orchestrator.domain.judging.gate import Gate
from pm_orchestrator.domain.judging.outcome import CommitInfo
from pm_orchestrator.domain.tasks.evidence_record import Evidence
from pm_orchestrator.domain.tasks.task import SubTask
from pm_orchestrator.evidence.look.differences import is_delivered
from pm_orchestrator.evidence.look.plain_open import read_file
from pm_orchestrator.evidence.masking.redaction import redact
from pm_orchestrator.evidence.records.hearing import Hearing
from pm_orchestrator.ports.executor import Activity, ExecutorResult, ExecutorTask, Person
from pm_orchestrator.ports.process import CommandResult, DirectoryView
from pm_orchestrator.ports.repository import MergeResult
from pm_orchestrator.ports.rescue import Saved
from pm_orchestrator.runner.places.asked.asked_person import AskedAfterNews
from pm_orchestrator.runner.places.beside.limit_watch import (
    LimitWatch,
    PatientPerson,
    WatchedLimits,
)
from pm_orchestrator.runner.places.beside.neighbours import AFTERWARDS, OUTSIDE
from pm_orchestrator.runner.places.directory_parts import DirectoryParts
from pm_orchestrator.runner.places.place import Delivered, Judged, Place, Seen, names_below
from pm_orchestrator.runner.places.plain_files import (
    has_name,
    is_surely_missing,
    names_on_disk,
    read_plain,
    read_plain_files,
    standing_at,
)
from pm_orchestrator.runner.places.record_guard import NAMED
from pm_orchestrator.runner.places.workspace import After, Before, project_path
from pm_orchestrator.runner.records.execution_record import (
    attempt_result,
    log_dispatch,
    log_execution,
    note_stopped,
    refuse_unusable,
)

if TYPE_CHECKING:
    from pm_orchestrator.runner.places.judged.directory_gates import RunIn

LARGEST = 1024**2
"""Bytes; what is larger is no reading matter for a judge."""


class _SeenDirectory(Seen, frozen=True, kw_only=True):
    after: After


class ProjectDirectory(Place):
    """The tree is what lies there; it is delivered as soon as it is written."""

    def __init__(self, parts: DirectoryParts) -> None:
        self._parts = parts
        self._before: Before | None = None
        self._first: Saved | None = None
        self._after: After | None = None
        self._worked = False
        self._forgotten = False
        """The executor began without the conversation it was to go on with."""

    @property
    @override
    def splits(self) -> bool:
        return False

    @property
    @override
    def executor(self) -> str:
        return self._parts.executor.name

    @override
    async def open(self) -> None:
        if self._parts.goes_on:
            self._first = await self._parts.workspace.saved_first(self._parts.task_id)

    @override
    async def read_base(self, path: str) -> bytes | None:
        if self._worked and path.startswith(OUTSIDE):
            return await self._parts.neighbours.read_base(path)
        saved = self._first
        if self._worked and self._before is not None:
            saved = self._before.base
        if saved is not None:
            return await self._parts.saved_files.read(saved, path)
        # Nobody has written yet. Most of what is asked for is not there, which costs no thread.
        if is_surely_missing(self._parts.root / path):
            return None
        return await asyncio.to_thread(_read, self._parts.root, path)

    @override
    async def exists(self, path: str) -> bool:
        if self._before is not None:
            return self._before.had(path)
        if self._first is not None and await self.read_base(path) is not None:
            return True
        # Nobody has written yet, or it is not known who did: then it is better not to overwrite.
        return has_name(self._parts.root / path)

    @override
    async def listing(self) -> tuple[str, ...]:
        if self._before is None:
            return await self._parts.workspace.names()
        return tuple(sorted(self._before.files))

    @override
    async def refs(self) -> Refs | None:
        if self._parts.goes_on:
            # What the runs before made is the task's own; only HEAD was kept from before them.
            return Refs(head=None if self._first is None else self._first.head)
        return await self._parts.history().refs(self._parts.root)

    @override
    async def names_in(self, folder: str) -> tuple[str, ...]:
        if self._before is not None:
            return names_below(self._before.files, folder)
        if self._first is not None:
            return await self._parts.saved_files.names_in(self._first, folder)
        # Nobody has written yet. So few names take no longer than to ask a thread for them.
        return names_on_disk(self._parts.root / folder)

    @override
    async def can_run(self, argv: tuple[str, ...]) -> bool:
        return await self._parts.programs.can_run(argv)

    @override
    async def begin(self, named: tuple[str, ...]) -> tuple[OddFinding, ...]:
        parts = self._parts
        await parts.programs.note()
        before = await parts.workspace.before(self._name, named)
        nested = () if before.saved is None else before.saved.skipped
        again = parts.task_id if parts.goes_on else None
        odd = await parts.neighbours.begin(self._name, nested, again)
        # What is in a repository of its own is held beside the rest.
        saves = parts.neighbours.saves
        kept = (f for f in before.findings if f.kind != "not_saved" or not saves(f.path))
        before = replace(before, findings=(*kept, *odd))
        if self._first is not None:
            from pm_orchestrator.runner.places.first_base import since_first

            before = await since_first(before, self._first, parts.saved_files)
        self._before = before
        return before.findings

    @override
    async def attempt(self, assignment: Assignment) -> AttemptResult:
        parts = self._parts
        began = parts.clock.monotonic()
        name = parts.executor.name
        # Masked before it is cut: half a key would not be known as one.
        spoken = parts.conversation or parts.fresh_conversation
        await log_dispatch(parts.log, name, parts.masker.mask(parts.instruction).text, spoken)
        self._worked = True
        hearing = Hearing(parts.events, parts.masker, parts.root, parts.task_id)
        person = None if parts.person is None else PatientPerson(parts.person, parts.clock)
        watch = self._limit_watch(person)

        async def pass_on(activity: Activity) -> None:
            await hearing.pass_on(activity)
            await watch.heard(activity)

        async with watch, News(pass_on) as news:
            result = await self._watched(self._task(assignment, person, news))
        evidence = await self._noted(result)
        self._forgotten = result.began_afresh
        attempt = attempt_result(
            assignment,
            name,
            result,
            characters=len(parts.instruction) + len(result.transcript),
            # A person takes as long as it takes.
            seconds=int(parts.clock.monotonic() - began - result.waited_s),
        )
        await log_execution(parts.log, result, attempt, evidence.raw_logs)
        refuse_unusable(name, result, evidence, attended=parts.attended)
        return attempt

    async def _watched(self, task: ExecutorTask) -> ExecutorResult:
        """Its result; where it could not keep its hands off our records, only what it did."""
        parts, done = self._parts, list[ExecutorResult]()

        async def work() -> None:
            try:
                result = await parts.executor.execute(task)
            except asyncio.CancelledError:
                await undisturbed(note_stopped(parts.note, parts.executor.name))
                raise
            done.append(replace(result, claim=redact(result.claim, parts.masker)))

        try:
            await parts.guard.watch(parts.log, work)
        except PmError:
            for result in done:
                try:
                    await self._noted(result)
                except PmError:
                    # The chain was hit beyond use; what is raised says so, louder.
                    break
            raise
        return done[0]

    async def _noted(self, result: ExecutorResult) -> Evidence:
        raw = f"{result.claim.kind}: {result.claim.summary}\n{result.transcript}"
        return await self._parts.note("execute", raw, by=self._parts.executor.name)

    def _limit_watch(self, person: PatientPerson | None) -> LimitWatch:
        parts, before = self._parts, self._begun()
        return LimitWatch(
            WatchedLimits(
                files=parts.settings.task_limits.files,
                seconds=parts.limits.seconds,
                tokens=parts.settings.budgets.tokens,
            ),
            parts.clock,
            parts.events,
            parts.task_id,
            changed=lambda: parts.workspace.changed_now(before),
            waited=lambda: 0.0 if person is None else person.waited_s,
        )

    def _task(self, assignment: Assignment, person: Person | None, news: News) -> ExecutorTask:
        parts, limits = self._parts, self._parts.limits
        return ExecutorTask(
            task_id=assignment.task_id,
            instruction=parts.instruction,
            hands=parts.hands,
            timeout_s=limits.seconds,
            silence_s=limits.silence_seconds,
            timeout_is_budget=parts.timers is None,
            token_budget=parts.settings.budgets.tokens,
            model=assignment.model,
            task_type=assignment.task_type,
            conversation=parts.conversation,
            person=None if person is None else AskedAfterNews(person, news.caught_up),
            fresh_conversation=parts.fresh_conversation,
            told=news.told,
            traffic=parts.traffic,
        )

    @override
    def named(self, path: str) -> str:
        return project_path(self._parts.root, path)

    @override
    async def look(
        self, tree: str | None, wanted: tuple[str, ...], modes: tuple[str, ...] = ()
    ) -> Seen:
        before = self._begun()
        outside = await self._parts.neighbours.look(wanted)
        known = {p for c in outside.changes for p in (c.path, c.previous_path)} | outside.there
        inside = [path for path in wanted if path not in known]
        after = self._after = await self._parts.workspace.after(before, inside, modes)
        return _SeenDirectory(
            tree=self._parts.workspace.name_of(after.files),
            changes=(*after.changes, *outside.changes),
            absent=frozenset(
                p for p in wanted if p not in outside.there and not is_delivered(p, after.files)
            ),
            comparable=before.base is not None,
            findings=(
                *self._put_back(),
                *self._begun_afresh(),
                *after.findings,
                *outside.odd(wanted),
            ),
            ignored_changes=(*after.ignored.changes, *after.ignored.toolchain),
            unknown_before=after.ignored.unknown,
            nested=before.base.skipped if before.base is not None else (),
            after=after,
        )

    @override
    async def standing(self, seen: Seen, path: str) -> Standing:
        return await asyncio.to_thread(standing_at, self._parts.root / path)

    @override
    async def recorded(self, seen: Seen, since: Refs, asked: tuple[Effect, ...]) -> Recorded | None:
        # Of few tasks a commit is asked.
        from pm_orchestrator.runner.places.nested_commits import recorded_in

        return await recorded_in(self._parts.history(), self._parts.root, seen, since, asked)

    @override
    async def commits(self, tree: str | None) -> tuple[CommitInfo, ...]:
        return ()

    @override
    async def read_now(self, seen: Seen, path: str) -> bytes | None:
        return await asyncio.to_thread(read_plain, self._parts.root / path, LARGEST)

    @override
    async def read_some(self, seen: Seen, paths: Sequence[str], limit: int) -> dict[str, bytes]:
        return await asyncio.to_thread(read_plain_files, self._parts.root, paths, limit)

    @override
    async def judged(self, seen: Seen) -> Judged:
        after = _directory(seen)
        look = self._parts.workspace.look_again
        from pm_orchestrator.runner.places.judged.directory_gates import DirectoryGates

        gates = self._parts.gates()
        gates = replace(gates, run_in=self._guarded(gates.run_in))
        return DirectoryGates(gates, self._begun(), after, lambda: look(after))

    def _guarded(self, run_in: "RunIn") -> "RunIn":
        """A gate is code of the project, which an agent may have written: it is watched too."""

        async def run(gate: Gate, where: Path, views: tuple[DirectoryView, ...]) -> CommandResult:
            parts = self._parts
            return await parts.guard.watch(parts.log, lambda: run_in(gate, where, views))

        return run

    @override
    async def written_since(self, seen: Seen) -> tuple[OddFinding, ...]:
        return await self._parts.workspace.written_since(_directory(seen))

    @override
    async def merge(self, into: str, commit: str, sub_task: SubTask) -> MergeResult:
        raise PmError("step_unbound", name="merge")

    @override
    async def deliver(self, tree: str | None, *, complete: bool) -> Delivered:
        if self._before is not None and self._after is not None:
            name = f"{self._name}{AFTERWARDS}"
            await self._parts.workspace.keep(self._before, self._after, name)
        await self._parts.neighbours.keep(self._name)
        return Delivered()

    @override
    async def put_aside(self) -> tuple[str, ...]:
        saved = None if self._before is None else self._before.saved
        await self._parts.neighbours.keep(self._name)
        return () if saved is None else (saved.ref,)

    @property
    def _name(self) -> str:
        """Under which the tree is saved."""
        return f"{self._parts.run_id}/{self._parts.task_id}"

    def _put_back(self) -> list[OddFinding]:
        guard = self._parts.guard
        back = [OddFinding(kind="put_back", path=name) for name in dict.fromkeys(guard.put_back)]
        gone = [OddFinding(kind="record_gone", path=name) for name in dict.fromkeys(guard.gone)]
        again = [OddFinding(kind="record_rewritten", path=name) for name in guard.rewritten]
        return [*back, *gone[:NAMED], *again[:NAMED]]

    def _begun_afresh(self) -> tuple[OddFinding, ...]:
        spoken = self._parts.conversation
        if not self._forgotten or spoken is None:
            return ()
        return (OddFinding(kind="conversation_lost", path=spoken),)

    def _begun(self) -> Before:
        if self._before is None:
            raise PmError("step_unbound", name="begin")
        return self._before


def _directory(seen: Seen) -> After:
    assert isinstance(seen, _SeenDirectory)
    return seen.after


def _read(root: Path, path: str) -> bytes | None:
    try:
        return read_file(root / path)
    except PermissionError as error:
        # It may define a gate, so nothing may pass for want of reading it.
        raise PmError("config_corrupt", path=path, reason=os.strerror(error.errno or 0)) from error
    except OSError:
        return None
