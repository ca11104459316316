"""The Runner's report on one task, made from its closed log: complete for every end."""

from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec import UNSET

from pm_orchestrator.domain.history.log_contents import RanTests, contents
from pm_orchestrator.domain.history.report import RunReport, WorkResult, WorkStatus
from pm_orchestrator.domain.history.task_log import TaskLog
from pm_orchestrator.domain.history.task_story import instruction_of, pending_question
from pm_orchestrator.domain.setup.settings import Settings
from pm_orchestrator.domain.tasks.evidence_record import EvidenceInventory
from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.domain.tasks.task import LimitViolation, Task, TestRun
from pm_orchestrator.gates.judge.required_tests import requires_tests
from pm_orchestrator.runner.records.task_result import summary_in, verdict_of

PART_STATUS: dict[WorkStatus, TaskStatus] = {
    "success": TaskStatus.COMPLETE,
    "partial": TaskStatus.INCOMPLETE,
    "quality_failed": TaskStatus.INCOMPLETE,
    "error": TaskStatus.ERROR,
}
DONE = "the work was verified; the next task may begin"
NOTHING_YET = "nothing was asked of this session yet; the next task may begin"
AT_WORK = "a task is at work"
TAKEN = "a person accepted what was not proved; the next task may begin"


class ReportDetails(msgspec.Struct, frozen=True, kw_only=True):
    """What the log does not say."""

    executor: str
    model: str | None
    speculative: bool
    """Somebody only supposed that the work was done."""
    work: tuple[WorkResult, ...] = ()
    """The parts of a task that was split."""
    overrun: tuple[LimitViolation, ...] = ()
    parts: Mapping[str, TaskLog] = {}
    """Their logs, by ticket."""


def task_report(
    log: TaskLog, settings: Settings, inventory: EvidenceInventory, besides: ReportDetails
) -> RunReport:
    """What became of the task, and whether something can be done next, and why."""
    status = verdict_of(log)
    question = pending_question(log)
    reason = log.error_reason
    open_parts = tuple(f"{w.ticket_id}: {why}" for w in besides.work for why in w.errors)
    whole = (f"{log.task_id}: {reason}",) if reason is not None else ()
    return RunReport(
        session_id=log.session_id,
        overall_status=status,
        tasks=(
            _task(log, settings, besides.executor),
            *(_part(log, besides.parts.get(w.ticket_id), settings, w) for w in besides.work),
        ),
        evidence_summary=summary_in(log),
        next_action=question is not None or status not in {TaskStatus.ERROR, TaskStatus.INVALID},
        next_action_reason=question or reason or (DONE if log.accepted is UNSET else TAKEN),
        violations=_violations(log, status, besides),
        incomplete_task_reasons=(*whole, *open_parts),
        evidence_inventory=inventory,
        speculative_language_detected=besides.speculative,
        selected_provider=besides.executor,
        selected_model=besides.model,
        accepted=log.accepted,
    )


def _violations(log: TaskLog, status: TaskStatus, besides: ReportDetails) -> tuple[str, ...]:
    found = [f"speculative claim in {log.task_id}"] if besides.speculative else []
    found += [
        f"{log.task_id}: {v.limit_type} {v.actual_value} > {v.limit_value}" for v in besides.overrun
    ]
    if status is TaskStatus.INVALID:
        found.append(f"{log.task_id}: {log.error_reason}")
    return tuple(found)


def _tests_in(log: TaskLog) -> tuple[TestRun, ...]:
    return tuple(
        TestRun(name=ran.gate, verdict=ran.verdict, evidence_id=ran.evidence_ref)
        for ran in contents(log.events, RanTests)
    )


def _task(log: TaskLog, settings: Settings, executor: str) -> Task:
    tests = _tests_in(log)
    root = Path(log.verification_root)
    return Task(
        task_id=log.task_id,
        thread_id=log.thread_id,
        run_id=log.run_id,
        parent_task_id=log.parent_task_id,
        description=log.prompt_summary,
        requirements=(instruction_of(log),),
        status=verdict_of(log),
        evidence_refs=log.evidence_refs,
        files_modified=tuple(str(root / path) for path in log.artifacts.files_touched),
        tests_run=tests,
        # A test gate is applied only where there is one.
        tests_required_before_implementation=requires_tests(
            (t.name for t in tests), log.artifacts.files_touched
        ),
        granularity_limits=settings.task_limits.limits(),
        decomposition_approved_by_runner=True,
        log_ref=log.log_id,
        assigned_executor=executor or UNSET,
    )


def _part(whole: TaskLog, own: TaskLog | None, settings: Settings, work: WorkResult) -> Task:
    """A sub-task as a task below the one it is a part of; older ones have no log of their own."""
    root, log = Path(whole.verification_root), own or whole
    changed = tuple(c.path for c in work.artifacts)
    tests = () if own is None else _tests_in(own)
    return Task(
        task_id=work.ticket_id,
        thread_id=log.thread_id,
        run_id=log.run_id,
        parent_task_id=whole.task_id,
        description=work.title,
        requirements=(work.title,),
        status=PART_STATUS[work.status],
        evidence_refs=() if own is None else own.evidence_refs,
        files_modified=tuple(str(root / path) for path in changed),
        tests_run=tests,
        tests_required_before_implementation=requires_tests((t.name for t in tests), changed),
        granularity_limits=settings.task_limits.limits(),
        decomposition_approved_by_runner=True,
        log_ref=log.log_id,
        assigned_executor=work.agent_id or UNSET,
    )
