"""What became of a task, read off its closed log alone: the same for every end."""

from msgspec import UNSET

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.log_contents import ExecutorOutput, contents
from pm_orchestrator.domain.history.report import Spent, WorkResult
from pm_orchestrator.domain.history.task_log import TaskLog
from pm_orchestrator.domain.history.task_story import pending_question, verdict_in
from pm_orchestrator.domain.judging.gate import GateReport
from pm_orchestrator.domain.record import MalformedRecordError
from pm_orchestrator.domain.tasks.evidence_record import EvidenceSummary
from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.domain.tasks.task import TaskResult
from pm_orchestrator.runner.records.task_run import TaskRun


def task_result(log: TaskLog) -> TaskResult:
    """The result of an ended task; a question stands in it instead of an error."""
    question = pending_question(log)
    error = log.error_reason if question is None else None
    return TaskResult(
        task_id=log.task_id,
        status=verdict_of(log),
        started_at=log.started_at,
        evidence=summary_in(log),
        clarification_needed=question is not None,
        completed_at=UNSET if log.ended_at is None else log.ended_at,
        error=UNSET if error is None else error,
        clarification_question=UNSET if question is None else question,
    )


def spent_in(
    log: TaskLog, work: tuple[WorkResult, ...] = (), gates: GateReport | None = None
) -> Spent:
    """What the task has used so far, all its runs together; `work` are its parts, if it has any."""
    judged = sum(gate.duration_ms for gate in gates.results) if gates is not None else 0
    outputs = tuple(contents(log.events, ExecutorOutput))
    known = [o.cost_usd for o in outputs if o.cost_usd is not UNSET]
    return Spent(
        tokens=sum(o.tokens_used or 0 for o in outputs) + sum(w.tokens_used for w in work),
        cost_usd=sum(known) if known else None,
        seconds=sum(o.seconds or 0 for o in outputs) + round(judged / 1000),
    )


def unwritten_result(task: TaskRun, error: PmError, now: str) -> TaskResult:
    """The result of a task whose log could not be closed, from what is known without it."""
    why = f"{error.code}: {error.what()}"
    return TaskResult(
        task_id=task.task_id,
        status=TaskStatus.ERROR,
        started_at=now,
        evidence=EvidenceSummary(
            files_expected=(),
            files_verified=(),
            files_missing=(),
            verification_passed=False,
            verification_reason=why,
            verified_files=(),
        ),
        clarification_needed=False,
        error=why,
    )


def verdict_of(log: TaskLog) -> TaskStatus:
    """The verdict behind an ended log's word.

    Raises:
        MalformedRecordError: E302 where the log says that it ended, and not how.
    """
    verdict = verdict_in(log)
    if verdict is None:
        reason = "it ends without a verdict"
        raise MalformedRecordError("evidence_invalid", evidence=log.log_id, reason=reason)
    return verdict


def summary_in(log: TaskLog) -> EvidenceSummary:
    """What verification found; where the task did not come that far, that it found nothing."""
    if log.evidence_summary is not UNSET:
        return log.evidence_summary
    return EvidenceSummary(
        files_expected=log.artifacts.files_expected,
        files_verified=(),
        files_missing=(),
        verification_passed=verdict_of(log) is TaskStatus.COMPLETE,
        verification_reason=log.error_reason or "nothing was verified",
        verified_files=log.verified_files,
    )
