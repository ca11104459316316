"""The life of a task around its work: a log at the start and at every end.

Whatever happens inside (a verdict, an error, an interruption), the log is closed
with a terminal status and a reason before control leaves here.
"""

import asyncio
from collections.abc import Awaitable, Callable

import msgspec

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.evidence import ArtifactList, EvidenceSummary
from pm_orchestrator.domain.gate import GateReport
from pm_orchestrator.domain.outcome import ExecutorClaim, FileChange, Reason
from pm_orchestrator.domain.phase import IllegalTransitionError
from pm_orchestrator.domain.record import Record
from pm_orchestrator.domain.report import RunReport
from pm_orchestrator.domain.session import RunStatus
from pm_orchestrator.domain.status import TaskStatus
from pm_orchestrator.domain.supervision import Blockage
from pm_orchestrator.domain.task import TaskResult
from pm_orchestrator.domain.task_log import TerminatedBy
from pm_orchestrator.evidence.open_log import Blocked, OpenLog
from pm_orchestrator.evidence.task_log import TaskLogBook
from pm_orchestrator.runner.execution_record import ExecutorBlockedError
from pm_orchestrator.runner.faults import task_fault
from pm_orchestrator.runner.findings import OddFinding
from pm_orchestrator.runner.interruption import to_its_end
from pm_orchestrator.runner.new_task import NewTask
from pm_orchestrator.runner.task_bounds import begin, finish, note_question
from pm_orchestrator.runner.task_ledger import TaskLedger
from pm_orchestrator.runner.task_moments import moments
from pm_orchestrator.runner.task_result import task_result

INTERRUPTED = "interrupted by a person; nothing was verified, and the files stay as they are"


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """What the work ended with."""

    status: TaskStatus
    reason: Reason
    changes: tuple[FileChange, ...]
    summary: EvidenceSummary
    evidence_ids: tuple[str, ...]
    claim: ExecutorClaim | None = None
    findings: tuple[OddFinding, ...] = ()
    gates: GateReport | None = None
    unlisted_changes: int = 0
    answer: str | None = None
    """Path of the stored answer, where that is what was asked for."""


class TaskEnd(Record, frozen=True, kw_only=True):
    """A finished task, for whoever asked for it."""

    session_id: str
    task_id: str
    run_id: str
    status: TaskStatus
    reason: Reason
    changes: tuple[FileChange, ...]
    claim: ExecutorClaim | None
    """What the executor said, beside the verdict; never a part of it."""
    evidence_ids: tuple[str, ...]
    result: TaskResult
    """The end in the words of `05`, as every task has one."""
    findings: tuple[OddFinding, ...] = ()
    """What was odd; proof of nothing."""
    answer: str | None = None
    """Path of the stored answer, where that is what was asked for."""
    report: RunReport | None = None
    """The Runner's whole report, where one was asked for."""


async def live(
    book: TaskLogBook,
    task: NewTask,
    work: Callable[[OpenLog], Awaitable[Finding]],
    ledger: TaskLedger,
) -> TaskEnd:
    """Run `work` as `task`; it may add events to the log it is given.

    Raises:
        PmError: what the work raised, after its log was closed; E201 where that was no
            PmError but a fault of our own.
    """
    log, cut = await to_its_end(begin(book, task, ledger))
    try:
        if cut:
            raise asyncio.CancelledError
        finding = await work(log)
    except PmError as error:
        blocked = error.blocked if isinstance(error, ExecutorBlockedError) else None
        asks = error.next_step == "ask"
        if asks:
            await note_question(log, error)
        await _close_early(log, _status_of(error), f"{error.code}: {error.what()}", blocked)
        await finish(book, task, ledger, RunStatus.COMPLETED if asks else RunStatus.FAILED)
        raise
    except Exception as bug:
        # A fault of ours proves nothing about the work, and may not leave the task open.
        fault = task_fault(bug, task.task_id)
        await _close_early(log, TaskStatus.ERROR, f"{fault.code}: {fault.what()}")
        await finish(book, task, ledger, RunStatus.FAILED)
        raise fault from bug
    except asyncio.CancelledError:
        await to_its_end(_close_interrupted(log))
        await to_its_end(finish(book, task, ledger, RunStatus.CANCELLED))
        raise
    end, cut = await to_its_end(_close(book, task, log, finding, ledger))
    if cut:
        raise asyncio.CancelledError
    return end


async def _close(
    book: TaskLogBook, task: NewTask, log: OpenLog, finding: Finding, ledger: TaskLedger
) -> TaskEnd:
    """Write down what was found."""
    complete = finding.status is TaskStatus.COMPLETE
    closed = await log.close(
        finding.status,
        None if complete else finding.reason.say(),
        artifacts=artifact_list(finding),
        verified_files=finding.summary.verified_files,
        evidence_refs=finding.evidence_ids,
        evidence_summary=finding.summary,
        runner_decision="accept" if complete else "reject",
        executor_summary=finding.claim.summary if finding.claim is not None else None,
        moments=moments(
            finding.status,
            finding.changes,
            finding.summary,
            finding.gates,
            unlisted=finding.unlisted_changes,
        ),
    )
    await finish(book, task, ledger, RunStatus.COMPLETED)
    return TaskEnd(
        session_id=task.session_id,
        task_id=task.task_id,
        run_id=task.run_id,
        status=finding.status,
        reason=finding.reason,
        changes=finding.changes,
        claim=finding.claim,
        evidence_ids=finding.evidence_ids,
        findings=finding.findings,
        answer=finding.answer,
        result=task_result(closed),
    )


async def _close_interrupted(log: OpenLog) -> None:
    await log.close(
        TaskStatus.INCOMPLETE,
        INTERRUPTED,
        artifacts=ArtifactList(),
        verified_files=(),
        evidence_refs=(),
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
        artifacts=ArtifactList(),
        verified_files=(),
        evidence_refs=(),
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


def artifact_list(finding: Finding) -> ArtifactList:
    """The changed files by kind of change."""

    def of(*kinds: str) -> tuple[str, ...]:
        return tuple(c.path for c in finding.changes if c.kind in kinds)

    return ArtifactList(
        files_touched=of("created", "modified", "deleted", "renamed"),
        files_expected=finding.summary.files_expected,
        files_created=of("created", "renamed"),
        files_modified=of("modified"),
        files_deleted=of("deleted"),
    )
