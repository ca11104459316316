"""The life of a task around its work: a log at the start and at every end.

Whatever happens inside (a verdict, an error, an interruption), the log is closed
with a terminal status and a reason before control leaves here.
"""

import asyncio
from collections.abc import Awaitable, Callable

import msgspec
from msgspec.structs import replace

from pm_orchestrator.domain.cancelling import to_its_end
from pm_orchestrator.domain.company.supervision import Blockage
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.log_contents import RanTests, contents
from pm_orchestrator.domain.history.report import RunResult
from pm_orchestrator.domain.history.session import RunStatus
from pm_orchestrator.domain.history.task_log import TerminatedBy
from pm_orchestrator.domain.tasks.phase import IllegalTransitionError
from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.evidence.records.log_book import TaskLogBook
from pm_orchestrator.evidence.records.open_log import Blocked, OpenLog
from pm_orchestrator.runner.records.execution_record import ExecutorBlockedError
from pm_orchestrator.runner.records.left_work import artifact_list
from pm_orchestrator.runner.records.task_bounds import begin, finish, note_question
from pm_orchestrator.runner.records.task_ledger import TaskLedger
from pm_orchestrator.runner.records.task_moments import moments
from pm_orchestrator.runner.records.task_result import spent_in, task_result
from pm_orchestrator.runner.records.task_run import TaskRun

INTERRUPTED = "interrupted by a person before the work was judged; the files stay as they are"


class StoppedWorkError(asyncio.CancelledError):
    """A cancellation on its way out of work that could say what there is already."""

    def __init__(self, done: tuple[str, ...], kept: tuple[str, ...]) -> None:
        super().__init__()
        self.done = done
        """Parts that were proved before it was stopped."""
        self.kept = kept
        """Refs that hold what was made, or what was there before."""

    def say(self) -> str:
        """Why the task is not complete, and what there is of it."""
        if not self.done:
            return INTERRUPTED
        return f"interrupted by a person; proved so far: {', '.join(self.done)}"


async def live(
    book: TaskLogBook,
    task: TaskRun,
    work: Callable[[OpenLog], Awaitable[RunResult]],
    ledger: TaskLedger,
) -> RunResult:
    """Run `work` as `task`; it may add events to the log it is given.

    Raises:
        PmError: what the work raised, after its log was closed; E201 where that was no
            PmError but a fault of our own.
    """
    log, cut = await to_its_end(begin(book, task, ledger))
    try:
        if cut:
            raise asyncio.CancelledError
        result = await work(log)
    except PmError as error:
        blocked = error.blocked if isinstance(error, ExecutorBlockedError) else None
        await _end_by(error, _Records(book, task, ledger, log), blocked)
        raise
    except Exception as bug:
        from pm_orchestrator.runner.faults import disk_fault, task_fault

        # A fault of ours proves nothing about the work, and may not leave the task open.
        fault = disk_fault(bug) or task_fault(bug, task.task_id)
        await _end_by(fault, _Records(book, task, ledger, log))
        raise fault from bug
    except asyncio.CancelledError as stop:
        why = stop.say() if isinstance(stop, StoppedWorkError) else INTERRUPTED
        await ledger.make_room(task.task_id)
        await to_its_end(_close_interrupted(log, why))
        await to_its_end(finish(book, task, ledger, RunStatus.CANCELLED))
        raise
    end, cut = await to_its_end(_close(book, task, log, result, ledger))
    if cut:
        raise asyncio.CancelledError
    return end


class _Records(msgspec.Struct, frozen=True):
    """Everything that has to say how a task ended."""

    book: TaskLogBook
    task: TaskRun
    ledger: TaskLedger
    log: OpenLog


async def _end_by(error: PmError, records: _Records, blocked: Blockage | None = None) -> None:
    """Close a task that came to no verdict.

    Where even that cannot be written, the task stays noted as unfinished, and the next start
    closes it; what a person is told is why the work stopped.
    """
    book, task, ledger, log = records.book, records.task, records.ledger, records.log
    asks = error.next_step == "ask"
    try:
        await ledger.make_room(task.task_id)
        if asks:
            await note_question(log, error)
        await _close_early(log, _status_of(error), f"{error.code}: {error.what()}", blocked)
        await finish(book, task, ledger, RunStatus.COMPLETED if asks else RunStatus.FAILED)
    except PmError as refused:
        if refused.slug != "disk":
            raise


async def _close(
    book: TaskLogBook, task: TaskRun, log: OpenLog, found: RunResult, ledger: TaskLedger
) -> RunResult:
    """Write down what was found."""
    await ledger.make_room(task.task_id)
    complete = found.status is TaskStatus.COMPLETE
    said = found.claim.summary if found.claim is not None else None
    closed = await log.close(
        found.status,
        None if complete else found.reason.say(),
        artifacts=artifact_list(found.changes, found.summary.files_expected),
        verified_files=found.summary.verified_files,
        evidence_refs=found.evidence_ids,
        evidence_summary=found.summary,
        runner_decision="accept" if complete else "reject",
        accepted=found.accepted if complete else (),
        not_proved=tuple(reason.say() for reason in found.not_proved),
        executor_summary=said,
        moments=moments(
            found.status,
            found.changes,
            found.summary,
            found.gates,
            unlisted=found.unlisted_changes,
            told={str(ran.evidence_ref) for ran in contents(log.log.events, RanTests)},
        ),
    )
    await finish(book, task, ledger, RunStatus.COMPLETED)
    return replace(
        found,
        result=task_result(closed),
        evidence_ids=closed.evidence_refs,
        spent=spent_in(closed, found.work, found.gates),
    )


async def _close_interrupted(log: OpenLog, why: str) -> None:
    await log.close(
        TaskStatus.INCOMPLETE,
        why,
        runner_decision="reject",
        terminated_by=TerminatedBy.USER,
    )


async def _close_early(
    log: OpenLog, status: TaskStatus, reason: str, blocked: Blockage | None = None
) -> None:
    decision = "clarify" if status is TaskStatus.INCOMPLETE else "reject"
    await log.close(
        status,
        reason,
        runner_decision=decision,
        blocked=None if blocked is None else _log_fields(blocked),
    )


def _log_fields(blocked: Blockage) -> Blocked:
    return {
        "reason": blocked.reason,
        "timeout_ms": blocked.timeout_ms,
        "terminated_by": blocked.terminated_by,
    }


def _status_of(error: PmError) -> TaskStatus:
    if error.next_step == "ask":
        return TaskStatus.INCOMPLETE
    # E505: what was done while our records were altered proves nothing at all.
    invalid = isinstance(error, IllegalTransitionError) or error.slug == "records_altered"
    return TaskStatus.INVALID if invalid else TaskStatus.ERROR
