"""After a crash: whatever its dead owner left open is closed, with the reason, before new work.

The processes of a dead Runner are gone already: the process door kills a command's
whole tree when its owner dies, and kernel locks die with their holder. What is left
are records that still say "running". A task is only touched when the ownership of its
session can be taken, which proves that its owner is dead.
"""

from collections.abc import Awaitable, Callable

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.session import RunStatus, UnfinishedTask
from pm_orchestrator.domain.history.task_log import CUT_OFF
from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.runner.records.task_ledger import TaskLedger
from pm_orchestrator.runner.records.task_run import way_of
from pm_orchestrator.runner.sessions.open_session import OpenSession
from pm_orchestrator.runner.sessions.sessions import Sessions

Told = Callable[[UnfinishedTask], Awaitable[tuple[str, ...]]]
"""Takes down that a task is closed, and returns all evidence that there is of it."""


async def untold(_: UnfinishedTask) -> tuple[str, ...]:
    """For where nothing is recorded."""
    return ()


async def recover(
    sessions: Sessions,
    ledger: TaskLedger,
    held: OpenSession | None = None,
    told: Told = untold,
) -> tuple[str, ...]:
    """Close every task whose owner died; returns their ids.

    `held` is the session that this process owns and has no task running in.
    """
    closed: list[str] = []
    for task in ledger.unfinished():
        if held is not None and task.session_id == held.session_id:
            await _close(held, ledger, task, told)
        elif not await _close_in(sessions, ledger, task, told):
            continue
        closed.append(task.task_id)
    return tuple(closed)


async def _close_in(
    sessions: Sessions, ledger: TaskLedger, task: UnfinishedTask, told: Told
) -> bool:
    try:
        session = sessions.own(task.session_id)
    except PmError as error:
        if error.slug == "owner_alive":
            return False
        raise
    try:
        await _close(session, ledger, task, told)
    finally:
        await session.leave()
    return True


async def _close(
    session: OpenSession, ledger: TaskLedger, task: UnfinishedTask, told: Told
) -> None:
    await ledger.make_room(task.task_id)
    evidence = await told(task)
    log = await session.book.adopt(task, session.root)
    if log is not None:
        reason = CUT_OFF
        if way_of(log.log, session.root) == "company":
            reason = f"{CUT_OFF}; `pm-orchestrator resume {task.run_id}` goes on"
        await log.close(TaskStatus.ERROR, reason, runner_decision="reject", evidence_refs=evidence)
    run = session.book.records(task.session_id).runs().get(task.run_id)
    if run is not None and run.status is RunStatus.RUNNING:
        await session.book.end_run(task.session_id, task.run_id, RunStatus.FAILED)
    await session.refresh()
    await ledger.ended(task.task_id)
    await ledger.forget(task.task_id)
