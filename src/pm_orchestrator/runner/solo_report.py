"""The Runner's report on one solo task, made from its closed log alone: complete for every end."""

from pathlib import Path

from msgspec import UNSET

from pm_orchestrator.domain.evidence import EvidenceInventory
from pm_orchestrator.domain.report import RunReport
from pm_orchestrator.domain.settings import Settings
from pm_orchestrator.domain.status import TaskStatus
from pm_orchestrator.domain.task import Task, TestRun
from pm_orchestrator.domain.task_log import LogEventType, TaskLog, instruction_of, pending_question
from pm_orchestrator.gates.required_tests import is_code
from pm_orchestrator.runner.task_result import summary_in, verdict_of

DONE = "the work was verified; the next task may begin"


def solo_report(
    log: TaskLog,
    settings: Settings,
    inventory: EvidenceInventory,
    *,
    executor: str,
    model: str | None,
    speculative: bool,
) -> RunReport:
    """What became of the task, and whether something can be done next, and why."""
    status = verdict_of(log)
    question = pending_question(log)
    reason = log.error_reason
    unfinished = (f"{log.task_id}: {reason}",) if reason is not None else ()
    return RunReport(
        session_id=log.session_id,
        overall_status=status,
        tasks=(_task(log, settings, executor),),
        evidence_summary=summary_in(log),
        next_action=question is not None or status not in {TaskStatus.ERROR, TaskStatus.INVALID},
        next_action_reason=question or reason or DONE,
        violations=_violations(log, status, speculative=speculative),
        incomplete_task_reasons=unfinished,
        evidence_inventory=inventory,
        speculative_language_detected=speculative,
        selected_provider=executor,
        selected_model=model,
    )


def _violations(log: TaskLog, status: TaskStatus, *, speculative: bool) -> tuple[str, ...]:
    found = [f"speculative claim in {log.task_id}"] if speculative else []
    if status is TaskStatus.INVALID:
        found.append(f"{log.task_id}: {log.error_reason}")
    return tuple(found)


def _task(log: TaskLog, settings: Settings, executor: str) -> Task:
    tests = tuple(
        TestRun(name=str(e.content["gate"]), verdict=str(e.content["verdict"]))
        for e in log.events
        if e.event_type is LogEventType.TEST_EXECUTION
    )
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
        tests_required_before_implementation=any(t.name == "test" for t in tests)
        and any(map(is_code, log.artifacts.files_touched)),
        granularity_limits=settings.task_limits.limits(),
        decomposition_approved_by_runner=True,
        log_ref=log.log_id,
        assigned_executor=executor or UNSET,
    )
