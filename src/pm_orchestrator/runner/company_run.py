"""The company run: seven phases as one deterministic piece of code.

It does nothing itself. Every effect is a step, keyed by data, so that a run that
was cut off at any instant goes on from its journal without doing a finished step
twice.
"""

from pm_orchestrator.domain.assignment import Assignment
from pm_orchestrator.domain.gate import GateReport, GateVerdict
from pm_orchestrator.domain.outcome import Reason
from pm_orchestrator.domain.phase import Phase
from pm_orchestrator.domain.report import RunResult
from pm_orchestrator.domain.status import TaskStatus
from pm_orchestrator.ports.engine import Engine
from pm_orchestrator.runner.feedback import feedback_for
from pm_orchestrator.runner.lifecycle import Lifecycle
from pm_orchestrator.runner.steps import (
    ANALYSE,
    ATTEMPT,
    CHECK,
    DECOMPOSE,
    ENTER_PHASE,
    EXAMINE,
    MERGE,
    PLAN,
    REPORT,
    VALIDATE,
    Analysis,
    CheckInput,
    DecomposeInput,
    ExamineInput,
    Integration,
    MergeInput,
    PhaseEntered,
    PlanInput,
    ReportInput,
    RunOrder,
    ValidateInput,
    Work,
)


async def company_run(engine: Engine, order: RunOrder) -> RunResult:
    """Carry out one instruction and say what was proved."""
    life = Lifecycle(
        lambda phase: engine.step(ENTER_PHASE, PhaseEntered(phase=phase), key=f"phase/{phase}")
    )
    await life.enter(Phase.REQUIREMENT_ANALYSIS)
    analysis = await engine.step(ANALYSE, order, key="analysis")

    await life.enter(Phase.TASK_DECOMPOSITION)
    plan = await engine.step(
        DECOMPOSE, DecomposeInput(order=order, analysis=analysis), key="decomposition"
    )
    await life.enter(Phase.PLANNING)
    schedule = await engine.step(
        PLAN, PlanInput(order=order, analysis=analysis, plan=plan), key="planning"
    )
    await life.enter(Phase.EXECUTION)
    work = await engine.all(
        [_work(engine, order, analysis, first) for first in schedule.first_assignments]
    )
    await life.enter(Phase.QA)
    integration = await _integrate(engine, analysis, work)

    await life.enter(Phase.COMPLETION_VALIDATION)
    outcome = await engine.step(
        VALIDATE,
        ValidateInput(
            order=order,
            analysis=analysis,
            tickets=tuple(w.sub_task.ticket for w in work),
            expected_files=tuple(f for w in work for f in w.sub_task.expected_files),
            integration=integration,
        ),
        key="validation",
    )
    await life.enter(Phase.REPORT)
    return await engine.step(
        REPORT,
        ReportInput(
            order=order,
            analysis=analysis,
            work=tuple(work),
            integration=integration,
            outcome=outcome,
        ),
        key="report",
    )


async def _work(
    engine: Engine, order: RunOrder, analysis: Analysis, assignment: Assignment
) -> Work:
    """Attempt, examine, and send back with the reason until it holds or attempts run out."""
    sub_task = assignment.sub_task
    work = Work(sub_task=sub_task, branch=assignment.branch, attempts=(), examinations=())
    while True:
        number = assignment.attempt
        result = await engine.step(ATTEMPT, assignment, key=f"{sub_task.ticket}/attempt/{number}")
        examined = await engine.step(
            EXAMINE,
            ExamineInput(
                base=analysis.base, gates=analysis.gates, assignment=assignment, result=result
            ),
            key=f"{sub_task.ticket}/examine/{number}",
        )
        work = Work(
            sub_task=sub_task,
            branch=assignment.branch,
            attempts=(*work.attempts, result),
            examinations=(*work.examinations, examined),
        )
        if examined.outcome.status is TaskStatus.COMPLETE or number >= order.max_attempts:
            return work
        assignment = Assignment(
            run_id=assignment.run_id,
            task_id=assignment.task_id,
            sub_task=sub_task,
            branch=assignment.branch,
            start=result.commit or assignment.start,
            attempt=number + 1,
            feedback=feedback_for(examined.outcome),
            model=assignment.model,
            max_turns=assignment.max_turns,
        )


async def _integrate(engine: Engine, analysis: Analysis, work: list[Work]) -> Integration:
    """Merge accepted work one by one; what breaks the gates is left out again."""
    commit = analysis.base
    gates = analysis.preflight
    merged: list[str] = []
    left_out: dict[str, Reason] = {}
    for item in work:
        ticket = item.sub_task.ticket
        delivered = item.outcome.facts.commit
        if item.outcome.status is not TaskStatus.COMPLETE or delivered is None:
            left_out[ticket] = item.outcome.because()
            continue
        result = await engine.step(
            MERGE,
            MergeInput(into=commit, commit=delivered, sub_task=item.sub_task),
            key=f"{ticket}/merge",
        )
        if result.commit is None:
            files = ", ".join(result.conflicts)
            left_out[ticket] = Reason(key="merge_conflicts", params={"files": files})
            continue
        report = await engine.step(
            CHECK,
            CheckInput(
                commit=result.commit, label=ticket, base=analysis.base, gates=analysis.gates
            ),
            key=f"{ticket}/check",
        )
        if _broken(report):
            left_out[ticket] = Reason(key="breaks_when_merged")
            continue
        commit, gates = result.commit, report
        merged.append(ticket)
    return Integration(commit=commit, merged=tuple(merged), left_out=left_out, gates=gates)


def _broken(report: GateReport) -> bool:
    return any(r.verdict not in {GateVerdict.PASS, GateVerdict.ABSENT} for r in report.results)
