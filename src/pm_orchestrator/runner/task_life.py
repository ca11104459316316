"""The life of a task around its work: a log at the start and at every end.

Whatever happens inside (a verdict, an error, an interruption), the log is closed
with a terminal status and a reason before control leaves here.
"""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import msgspec

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.evidence import ArtifactList, EvidenceSummary
from pm_orchestrator.domain.outcome import ExecutorClaim, FileChange, Reason
from pm_orchestrator.domain.phase import IllegalTransitionError
from pm_orchestrator.domain.record import Record
from pm_orchestrator.domain.session import RunStatus, ThreadType
from pm_orchestrator.domain.status import TaskStatus
from pm_orchestrator.domain.task_log import LogEventType, VisibilityLevel
from pm_orchestrator.evidence.open_log import OpenLog
from pm_orchestrator.evidence.task_log import TaskLogBook


class NewTask(msgspec.Struct, frozen=True, kw_only=True):
    """A task that is about to begin."""

    session_id: str
    task_id: str
    thread_id: str
    run_id: str
    prompt: str
    root: Path
    executor: str


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """What the work ended with."""

    status: TaskStatus
    reason: Reason
    changes: tuple[FileChange, ...]
    summary: EvidenceSummary
    evidence_ids: tuple[str, ...]
    claim: ExecutorClaim | None = None


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


async def live(book: TaskLogBook, task: NewTask, work: Callable[[], Awaitable[Finding]]) -> TaskEnd:
    """Run `work` as `task`.

    Raises:
        PmError: what the work raised, after its log was closed.
    """
    log = await book.open(
        task.session_id,
        task.task_id,
        task.thread_id,
        task.run_id,
        task.prompt,
        task.root,
        thread_type=ThreadType.BACKGROUND,
    )
    try:
        await log.event(
            LogEventType.EXECUTOR_DISPATCH,
            {"executor": task.executor, "task_summary": task.prompt[:100]},
            VisibilityLevel.FULL,
        )
        finding = await work()
    except PmError as error:
        await _close_early(log, _status_of(error), f"{error.code}: {error.what()}")
        await book.end_run(task.session_id, task.run_id, RunStatus.FAILED)
        raise
    except asyncio.CancelledError:
        await asyncio.shield(_close_early(log, TaskStatus.INCOMPLETE, "interrupted"))
        await asyncio.shield(book.end_run(task.session_id, task.run_id, RunStatus.CANCELLED))
        raise
    complete = finding.status is TaskStatus.COMPLETE
    await log.close(
        finding.status,
        None if complete else finding.reason.say(),
        artifacts=artifact_list(finding),
        verified_files=finding.summary.verified_files,
        evidence_refs=finding.evidence_ids,
        evidence_summary=finding.summary,
        runner_decision="accept" if complete else "reject",
        executor_summary=finding.claim.summary if finding.claim is not None else None,
    )
    await book.end_run(task.session_id, task.run_id, RunStatus.COMPLETED)
    return TaskEnd(
        session_id=task.session_id,
        task_id=task.task_id,
        run_id=task.run_id,
        status=finding.status,
        reason=finding.reason,
        changes=finding.changes,
        claim=finding.claim,
        evidence_ids=finding.evidence_ids,
    )


async def _close_early(log: OpenLog, status: TaskStatus, reason: str) -> None:
    decision = "clarify" if status is TaskStatus.INCOMPLETE else "reject"
    await log.close(
        status,
        reason,
        artifacts=ArtifactList(),
        verified_files=(),
        evidence_refs=(),
        runner_decision=decision,
    )


def _status_of(error: PmError) -> TaskStatus:
    if error.next_step == "ask":
        return TaskStatus.INCOMPLETE
    return TaskStatus.INVALID if isinstance(error, IllegalTransitionError) else TaskStatus.ERROR


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
