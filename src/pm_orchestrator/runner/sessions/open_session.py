"""A session this process owns: the only place its records are written."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from msgspec.structs import replace

from pm_orchestrator.domain import ids
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.report import RunResult
from pm_orchestrator.domain.history.session import RunTrigger, Session, SessionStatus
from pm_orchestrator.domain.history.task_log import TaskLog, TaskLogEntry
from pm_orchestrator.domain.tasks.phase import Phase
from pm_orchestrator.domain.tasks.task import LimitViolation
from pm_orchestrator.evidence.records.log_book import TaskLogBook
from pm_orchestrator.evidence.records.open_log import OpenLog
from pm_orchestrator.ports.clock import Clock
from pm_orchestrator.ports.ownership import Ownership
from pm_orchestrator.runner.records.task_ledger import TaskLedger
from pm_orchestrator.runner.records.task_life import live
from pm_orchestrator.runner.records.task_run import TaskRun, Way, way_of
from pm_orchestrator.runner.sessions.selection import Selection

MAIN_THREAD = ids.numbered("thr", 1)
"""The conversation with the user, and every task that it starts."""


class OpenSession:
    """Owned from its making until `leave`; `book` refuses to write once it was taken over."""

    def __init__(
        self, session_id: str, book: TaskLogBook, owner: Ownership, clock: Clock, root: Path
    ) -> None:
        self.session_id = session_id
        self.book = book
        self.root = root
        self._owner = owner
        self._clock = clock
        self._saving = asyncio.Lock()

    @property
    def state(self) -> Session | None:
        return self.book.records(self.session_id).state()

    def new_task(self, run_id: str, prompt: str, executor: str, way: Way = "solo") -> TaskRun:
        """A task in the session, with an id no other task of it has."""
        taken = self.book.external_ids(self.session_id)
        return TaskRun(
            way=way,
            session_id=self.session_id,
            task_id=ids.external_task_id(self._clock.now(), taken),
            thread_id=MAIN_THREAD,
            run_id=run_id,
            prompt=prompt,
            root=self.root,
            executor=executor,
        )

    def same_task(
        self,
        log: TaskLog,
        run_id: str,
        executor: str,
        trigger: RunTrigger,
        answer: str | None = None,
    ) -> TaskRun:
        """An ended task that goes on under its id, in a new run."""
        return TaskRun(
            way=way_of(log, self.root),
            session_id=self.session_id,
            task_id=log.task_id,
            thread_id=log.thread_id,
            run_id=run_id,
            prompt=log.prompt_summary,
            root=self.root,
            executor=executor,
            trigger=trigger,
            answer=answer,
            before=self._ended_before(log.task_id),
        )

    def _ended_before(self, task_id: str) -> str | None:
        ended = [
            (entry.completed_at, entry.external_task_id)
            for entry in self.book.entries(self.session_id)
            if entry.completed_at is not None
            and entry.parent_task_id is None
            and entry.external_task_id != task_id
        ]
        return max(ended)[1] if ended else None

    async def carry_out(
        self,
        task: TaskRun,
        ledger: TaskLedger,
        work: Callable[[OpenLog], Awaitable[RunResult]],
        selection: Selection | None = None,
        phase: Phase = Phase.REQUIREMENT_ANALYSIS,
    ) -> RunResult:
        """Run `work` as `task`, and say in the session's own record how it stands.

        The record names the `selection` of its latest task, and the `phase` it is in. An
        approval is for what was unfinished when it was given, and for one continuation:
        it ends here.
        """
        await self._mark(SessionStatus.RUNNING, phase, selection)
        try:
            end = await live(self.book, task, work, ledger)
        except BaseException:
            try:
                await asyncio.shield(self.refresh())
            except PmError:
                # Why the work ended says more; the next task brings the record into step.
                pass
            raise
        await asyncio.shield(self.refresh())
        return end

    def unfinished(self) -> tuple[TaskLogEntry, ...]:
        """Tasks that did not end as COMPLETE."""
        return self.book.unfinished(self.session_id)

    async def refresh(self) -> None:
        """Bring the session's status into step with its tasks."""
        status = SessionStatus.UNFINISHED if self.unfinished() else SessionStatus.READY
        await self._save(status=status)

    async def await_answer(self) -> None:
        """A person is being asked; nothing goes on until they have answered."""
        await self._save(status=SessionStatus.AWAITING_RESPONSE)

    async def enter(self, phase: Phase) -> None:
        """The running task has come to `phase`."""
        await self._save(current_phase=phase)

    async def approve(self, *, approved: bool) -> None:
        """Set or take back the approval to go on."""
        await self._save(continuation_approved=approved)

    async def note_violations(self, violations: tuple[LimitViolation, ...]) -> None:
        """Put overrun limits on the session's record; nothing goes on by itself after one."""
        if violations:
            await self._save(*violations)

    async def leave(self) -> None:
        """Bring the files up to date and let go of the session."""
        try:
            await self.book.settle(self.session_id)
        finally:
            self._owner.release()

    async def _mark(
        self, status: SessionStatus, phase: Phase, selection: Selection | None = None
    ) -> None:
        changes: dict[str, object] = {
            "status": status,
            "current_phase": phase,
            "continuation_approved": False,
        }
        if selection is not None:
            changes |= {"selected_provider": selection.provider, "selected_model": selection.model}
        await self._save(**changes)

    async def _save(self, *found: LimitViolation, **changes: object) -> None:
        """Change the record; violations that were `found` are added to those before."""
        async with self._saving:
            state = self.state
            if state is None:
                return
            every = (*state.limit_violations, *found)
            changed = replace(state, limit_violations=every, **changes)
            if changed != state:
                await self.book.records(self.session_id).save_state(changed)
