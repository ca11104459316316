"""After a crash: whatever its dead owner left open is closed, with the reason, before new work.

The processes of a dead Runner are gone already: the process door kills a command's
whole tree when its owner dies, and kernel locks die with their holder. What is left
are records that still say "running". A task is only touched when the ownership of its
session can be taken, which proves that its owner is dead.
"""

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.session import (
    Run,
    RunStatus,
    RunTrigger,
    ThreadEntry,
    ThreadType,
    UnfinishedTask,
)
from pm_orchestrator.domain.history.task_log import CUT_OFF
from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.runner.layout import ProjectPaths
from pm_orchestrator.runner.records.task_ledger import TaskLedger
from pm_orchestrator.runner.records.task_run import way_of
from pm_orchestrator.runner.sessions.open_session import OpenSession
from pm_orchestrator.runner.sessions.part_logs import close_cut_off
from pm_orchestrator.runner.sessions.sessions import Sessions

BY_ITSELF = RunTrigger.CONTINUATION


async def recover(
    sessions: Sessions, ledger: TaskLedger, held: OpenSession | None = None
) -> tuple[str, ...]:
    """Close every task whose owner died; returns their ids.

    `held` is the session that this process owns and has no task running in.
    """
    closed: list[str] = []
    for task in ledger.unfinished():
        if held is not None and task.session_id == held.session_id:
            await _close(held, ledger, task)
        elif not await _close_in(sessions, ledger, task):
            continue
        closed.append(task.task_id)
    return tuple(closed)


def _runs(session: OpenSession) -> dict[str, Run]:
    return session.book.records(session.session_id).runs()


def _thread(session: OpenSession) -> ThreadEntry:
    """What is done without anybody having asked for it has a thread of its own."""
    records = session.book.records(session.session_id)
    kind = ThreadType.SYSTEM
    return ThreadEntry(thread_id=records.thread_of(kind), thread_type=kind)


async def _close_in(sessions: Sessions, ledger: TaskLedger, task: UnfinishedTask) -> bool:
    try:
        session = sessions.own(task.session_id)
    except PmError as error:
        if error.slug == "owner_alive":
            return False
        raise
    try:
        await _close(session, ledger, task)
    finally:
        await session.leave()
    return True


async def _close(session: OpenSession, ledger: TaskLedger, task: UnfinishedTask) -> None:
    await ledger.make_room(task.task_id)
    book, session_id = session.book, session.session_id
    cut_off = [r for r, run in _runs(session).items() if run.status is RunStatus.RUNNING]
    run_id = ProjectPaths(session.root).new_run().run_id
    await book.records(session_id).begin_run(session_id, run_id, _thread(session), BY_ITSELF)
    log = await book.adopt(task, session.root)
    if log is not None:
        reason = CUT_OFF
        if way_of(log.log, session.root) == "company":
            reason = f"{CUT_OFF}; `pm-orchestrator resume {task.run_id}` goes on"
        await log.close(TaskStatus.ERROR, reason, runner_decision="reject")
    await close_cut_off(session, task.task_id, CUT_OFF)
    # Nobody works in the session, so whatever is said to run was cut off.
    for dead in cut_off:
        await book.end_run(session_id, dead, RunStatus.FAILED)
    await book.end_run(session_id, run_id, RunStatus.COMPLETED)
    await session.refresh()
    await ledger.ended(task.task_id)
    await ledger.forget(task.task_id)
