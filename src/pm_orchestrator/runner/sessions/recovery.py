"""After a crash: whatever its dead owner left open is closed, with the reason, before new work.

The processes of a dead Runner are gone already: the process door kills a command's
whole tree when its owner dies, and kernel locks die with their holder. What is left
are records that still say "running". A task is only touched when the ownership of its
session can be taken, which proves that its owner is dead.
"""

from collections.abc import Awaitable, Callable

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.session import RunStatus, UnfinishedTask
from pm_orchestrator.domain.history.task_log import CUT_OFF, TaskLog
from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.evidence.records.open_log import Closing
from pm_orchestrator.runner.records.task_ledger import TaskLedger
from pm_orchestrator.runner.records.task_run import way_of
from pm_orchestrator.runner.sessions.open_session import OpenSession
from pm_orchestrator.runner.sessions.sessions import Sessions

Left = Callable[[TaskLog], Awaitable[Closing | None]]
"""Sees what a task has left in the project directory."""


async def nothing_seen(_: TaskLog) -> Closing | None:
    """For work that is nowhere to be seen."""
    return None


async def recover(
    sessions: Sessions,
    ledger: TaskLedger,
    held: OpenSession | None = None,
    left: Left = nothing_seen,
) -> tuple[str, ...]:
    """Close every task whose owner died; returns their ids.

    `held` is the session that this process owns and has no task running in.
    """
    closed: list[str] = []
    for task in ledger.unfinished():
        if held is not None and task.session_id == held.session_id:
            await _close(held, ledger, task, left)
        elif not await _close_in(sessions, ledger, task, left):
            continue
        closed.append(task.task_id)
    return tuple(closed)


async def _close_in(
    sessions: Sessions, ledger: TaskLedger, task: UnfinishedTask, left: Left
) -> bool:
    try:
        session = sessions.own(task.session_id)
    except PmError as error:
        if error.slug == "owner_alive":
            return False
        raise
    try:
        await _close(session, ledger, task, left)
    finally:
        await session.leave()
    return True


async def _close(
    session: OpenSession, ledger: TaskLedger, task: UnfinishedTask, left: Left
) -> None:
    await ledger.make_room(task.task_id)
    log = await session.book.adopt(task, session.root)
    if log is not None:
        reason = CUT_OFF
        if way_of(log.log, session.root) == "company":
            reason = f"{CUT_OFF}; `pm-orchestrator resume {task.run_id}` goes on"
        elif (seen := await left(log.log)) is not None:
            log.note_left(seen)
        await log.close(TaskStatus.ERROR, reason, runner_decision="reject")
    run = session.book.records(task.session_id).runs().get(task.run_id)
    if run is not None and run.status is RunStatus.RUNNING:
        await session.book.end_run(task.session_id, task.run_id, RunStatus.FAILED)
    await session.refresh()
    await ledger.ended(task.task_id)
    await ledger.forget(task.task_id)
