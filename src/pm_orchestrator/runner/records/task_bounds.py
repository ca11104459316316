"""The first and the last records of a task, in the order that a crash in between needs.

Noted as unfinished, then in the log, then as the running task; at the end the log
first, then no longer running, then no longer unfinished.
"""

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.log_contents import RunnerClarification
from pm_orchestrator.domain.history.session import RunStatus, RunTrigger, UnfinishedTask
from pm_orchestrator.domain.history.task_log import LogEventType
from pm_orchestrator.evidence.records.log_book import TaskLogBook
from pm_orchestrator.evidence.records.open_log import OpenLog
from pm_orchestrator.runner.instructions.clarification import options_of
from pm_orchestrator.runner.records.start_record import start_moments
from pm_orchestrator.runner.records.task_ledger import TaskLedger
from pm_orchestrator.runner.records.task_run import TaskRun


async def begin(book: TaskLogBook, task: TaskRun, ledger: TaskLedger) -> OpenLog:
    """Write down that the task runs, before it does."""
    await ledger.announce(
        UnfinishedTask(
            session_id=task.session_id,
            task_id=task.task_id,
            thread_id=task.thread_id,
            run_id=task.run_id,
            prompt=book.masked(task.prompt),
        )
    )
    if task.trigger is RunTrigger.USER_INPUT:
        log = await book.open(
            task.session_id,
            task.task_id,
            task.thread_id,
            task.run_id,
            task.prompt,
            task.root,
        )
        await ledger.started(task.task_id)
    else:
        log = await book.reopen(task.session_id, task.task_id, task.run_id, task.trigger)
        await ledger.reopened(task.task_id, task.before)
    await log.add(*start_moments(log.log, task))
    return log


async def finish(book: TaskLogBook, task: TaskRun, ledger: TaskLedger, status: RunStatus) -> None:
    """The log is closed; let everything else say so too."""
    await ledger.ended(task.task_id)
    await book.end_run(task.session_id, task.run_id, status)
    await ledger.forget(task.task_id)


async def note_question(log: OpenLog, error: PmError) -> None:
    """A task that stops to ask leaves its question in the log, once."""
    if log.log.events[-1].event_type is not LogEventType.RUNNER_CLARIFICATION:
        await log.add(RunnerClarification(question=error.what(), options=options_of(error)))
