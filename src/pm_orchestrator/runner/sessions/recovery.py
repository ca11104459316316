"""After a crash: whatever its dead owner left open is closed, with the reason, before new work.

The processes of a dead Runner are gone already: the process door kills a command's
whole tree when its owner dies, and kernel locks die with their holder. What is left
are records that still say "running". A task is only touched when the ownership of its
session can be taken, which proves that its owner is dead.
"""

from collections.abc import Awaitable, Callable
from typing import NamedTuple

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.session import (
    Run,
    RunStatus,
    RunTrigger,
    ThreadEntry,
    ThreadType,
    UnfinishedTask,
)
from pm_orchestrator.domain.history.task_log import CUT_OFF, TaskLog
from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.evidence.records.open_log import Closing
from pm_orchestrator.runner.layout import ProjectPaths
from pm_orchestrator.runner.records.task_ledger import TaskLedger
from pm_orchestrator.runner.records.task_run import way_of
from pm_orchestrator.runner.sessions.open_session import OpenSession
from pm_orchestrator.runner.sessions.part_logs import close_cut_off
from pm_orchestrator.runner.sessions.sessions import Sessions


class TakenDown(NamedTuple):
    """What is on record of a task that is closed."""

    evidence: tuple[str, ...] = ()
    """All that there is of it."""
    altered: tuple[str, ...] = ()
    """A sentence for each file of ours that is not as it was left."""


Told = Callable[[UnfinishedTask], Awaitable[TakenDown]]
"""Takes down that a task is closed."""
Left = Callable[[TaskLog], Awaitable[Closing | None]]
"""Sees what a task has left in the project directory."""


async def untold(_: UnfinishedTask) -> TakenDown:
    """For where nothing is recorded."""
    return TakenDown()


async def nothing_seen(_: TaskLog) -> Closing | None:
    """For work that is nowhere to be seen."""
    return None


class Inquest(NamedTuple):
    """What is found out about a task whose owner died."""

    told: Told = untold
    left: Left = nothing_seen


NO_INQUEST = Inquest()
BY_ITSELF = RunTrigger.CONTINUATION


async def recover(
    sessions: Sessions,
    ledger: TaskLedger,
    held: OpenSession | None = None,
    inquest: Inquest = NO_INQUEST,
) -> tuple[str, ...]:
    """Close every task whose owner died; returns the ids of those that were cut off at work.

    One that never came to its log was only announced, and one that has a verdict is left with it.
    `held` is the session that this process owns and has no task running in.
    """
    closed: list[str] = []
    for task in ledger.unfinished():
        if held is not None and task.session_id == held.session_id:
            cut_off = await _close(held, ledger, task, inquest)
        else:
            cut_off = await _close_in(sessions, ledger, task, inquest)
        if cut_off:
            closed.append(task.task_id)
    return tuple(closed)


def _runs(session: OpenSession) -> dict[str, Run]:
    return session.book.records(session.session_id).runs()


def _thread(session: OpenSession) -> ThreadEntry:
    """What is done without anybody having asked for it has a thread of its own."""
    records = session.book.records(session.session_id)
    kind = ThreadType.SYSTEM
    return ThreadEntry(thread_id=records.thread_of(kind), thread_type=kind)


async def _close_in(
    sessions: Sessions, ledger: TaskLedger, task: UnfinishedTask, inquest: Inquest
) -> bool:
    try:
        session = sessions.own(task.session_id)
    except PmError as error:
        if error.slug == "owner_alive":
            return False
        raise
    try:
        return await _close(session, ledger, task, inquest)
    finally:
        await session.leave()


async def _close(
    session: OpenSession, ledger: TaskLedger, task: UnfinishedTask, inquest: Inquest
) -> bool:
    await ledger.make_room(task.task_id)
    evidence, altered = await inquest.told(task)
    book, session_id = session.book, session.session_id
    cut_off = [r for r, run in _runs(session).items() if run.status is RunStatus.RUNNING]
    run_id = ProjectPaths(session.root).new_run().run_id
    await book.records(session_id).begin_run(session_id, run_id, _thread(session), BY_ITSELF)
    log = await book.adopt(task, session.root)
    if log is not None:
        reason = CUT_OFF
        if way_of(log.log, session.root) == "company":
            reason = f"{CUT_OFF}; `pm-orchestrator resume {task.run_id}` goes on"
        elif (seen := await inquest.left(log.log)) is not None:
            log.note_left(seen)
        reason = "; ".join((reason, *altered))
        await log.close(TaskStatus.ERROR, reason, runner_decision="reject", evidence_refs=evidence)
    await close_cut_off(session, task.task_id, CUT_OFF)
    # Nobody works in the session, so whatever is said to run was cut off.
    for dead in cut_off:
        await book.end_run(session_id, dead, RunStatus.FAILED)
    await book.end_run(session_id, run_id, RunStatus.COMPLETED)
    await session.refresh()
    await ledger.ended(task.task_id)
    await ledger.forget(task.task_id)
    return log is not None
