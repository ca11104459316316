"""The report's content, made from recorded facts alone. Pure."""

from pathlib import Path

from pm_orchestrator.domain.evidence import EvidenceInventory, EvidenceSummary, VerifiedFile
from pm_orchestrator.domain.outcome import VerifiedOutcome
from pm_orchestrator.domain.report import (
    Refusal,
    RunReport,
    RunResult,
    WorkResult,
    quality_gates,
    work_status,
)
from pm_orchestrator.domain.status import TaskStatus
from pm_orchestrator.domain.task import Task, TaskLimits, TestRun
from pm_orchestrator.gates.required_tests import requires_tests
from pm_orchestrator.runner.steps import ReportInput, Work

THREAD_ID = "thr_001"
"""What the user asks for belongs to the main thread."""


def work_results(given: ReportInput) -> tuple[WorkResult, ...]:
    """What each worker delivered, claims beside facts."""
    return tuple(_work_result(given.order.run_id, work) for work in given.work)


def _work_result(run_id: str, work: Work) -> WorkResult:
    outcome, last = work.outcome, work.examinations[-1]
    gates = quality_gates(outcome.facts.gates)
    complete = outcome.status is TaskStatus.COMPLETE
    pairs = tuple(zip(work.attempts, work.examinations, strict=True))
    return WorkResult(
        run_id=run_id,
        ticket_id=work.sub_task.ticket,
        agent_id=work.attempts[-1].worker,
        title=work.sub_task.title,
        status=work_status(outcome.status, gates),
        start_time=work.examinations[0].started_at,
        end_time=last.ended_at,
        artifacts=outcome.facts.changes,
        git_branch=work.branch,
        commits=last.commits,
        quality_gates=gates,
        errors=() if complete else (outcome.reason(),),
        refusals=tuple(
            Refusal(attempt=a.attempt, claim=a.claim, reason=e.outcome.because())
            for a, e in pairs
            if e.outcome.status is not TaskStatus.COMPLETE
        ),
        conversation_turns=sum(a.claim.turns for a in work.attempts),
        tokens_used=sum(a.claim.tokens for a in work.attempts),
    )


def run_report(
    given: ReportInput,
    limits: TaskLimits,
    inventory: EvidenceInventory,
    evidence_ids: dict[str, str],
) -> RunReport:
    """The Runner's report on a company run."""
    status = given.outcome.status
    complete = status is TaskStatus.COMPLETE
    reasons = [f"{t}: {why.say()}" for t, why in given.integration.left_out.items()]
    if not complete and not reasons:
        reasons = [given.outcome.reason()]
    return RunReport(
        session_id=given.order.session_id,
        overall_status=status,
        tasks=tuple(_task(given, work, limits, evidence_ids) for work in given.work),
        evidence_summary=evidence_summary(given.outcome, given.work[-1].examinations[-1].ended_at),
        next_action=status not in {TaskStatus.ERROR, TaskStatus.INVALID},
        next_action_reason=_next_action(given, complete=complete),
        violations=tuple(
            f"speculative claim in {w.sub_task.ticket}"
            for w in given.work
            if any(e.speculative for e in w.examinations)
        ),
        incomplete_task_reasons=tuple(reasons),
        evidence_inventory=inventory,
        speculative_language_detected=any(
            e.speculative for w in given.work for e in w.examinations
        ),
        selected_provider=None,
        selected_model=given.order.model,
    )


def _next_action(given: ReportInput, *, complete: bool) -> str:
    if complete:
        return "a person reviews and approves the run's branch"
    return f"not complete: {given.outcome.reason()}"


def _task(given: ReportInput, work: Work, limits: TaskLimits, evidence_ids: dict[str, str]) -> Task:
    ticket = work.sub_task.ticket
    root = Path(given.order.project)
    report = work.outcome.facts.gates
    tests = tuple(
        TestRun(name=r.kind, verdict=r.verdict, evidence_id=r.evidence_id)
        for r in (report.results if report is not None else ())
    )
    return Task(
        task_id=ticket,
        thread_id=THREAD_ID,
        run_id=given.order.run_id,
        parent_task_id=given.order.task_id,
        description=work.sub_task.title,
        requirements=work.sub_task.acceptance_criteria,
        status=work.outcome.status,
        evidence_refs=tuple(e for k, e in evidence_ids.items() if k.startswith(f"{ticket}/")),
        files_modified=tuple(str(root / c.path) for c in work.outcome.facts.changes),
        tests_run=tests,
        tests_required_before_implementation=requires_tests(
            given.analysis.gates, work.outcome.facts.changes
        ),
        granularity_limits=limits,
        decomposition_approved_by_runner=True,
        log_ref=given.order.task_id,
        assigned_executor=work.attempts[-1].worker,
    )


def evidence_summary(outcome: VerifiedOutcome, seen_at: str) -> EvidenceSummary:
    """What the Runner looked for and what it found."""
    facts = outcome.facts
    missing = set(facts.missing_files)
    changed = {c.path: c.kind != "deleted" for c in facts.changes}
    verified = tuple(
        VerifiedFile(path=path, exists=exists, detected_at=seen_at, detection_method="diff")
        for path, exists in changed.items()
    ) + tuple(
        VerifiedFile(
            path=path, exists=False, detected_at=seen_at, detection_method="executor_claim"
        )
        for path in facts.missing_files
        if path not in changed
    )
    return EvidenceSummary(
        files_expected=facts.expected_files,
        files_verified=tuple(f for f in facts.expected_files if f not in missing),
        files_missing=facts.missing_files,
        verification_passed=outcome.status is TaskStatus.COMPLETE,
        verification_reason=outcome.reason(),
        verified_files=verified,
    )


def summary_page(result: RunResult) -> str:
    """`summary.md`: the same for people."""
    lines = [f"# {result.run_id}: {result.status}", "", result.instruction, ""]
    lines += [f"- branch `{result.branch}` at `{result.commit}`"] if result.branch else []
    for work in result.work:
        lines.append(f"- {work.ticket_id} {work.title}: {work.status}")
        lines += [
            f'  - attempt {r.attempt} claimed "{r.claim.summary}"; refused: {r.reason.say()}'
            for r in work.refusals
        ]
    lines += [f"- not done: {reason}" for reason in result.report.incomplete_task_reasons]
    return "\n".join(lines) + "\n"
