"""The one run: seven phases as one deterministic piece of code, for every task.

It does nothing itself. Every effect is a step, keyed by data, so that a run that was cut
off at any instant goes on from its journal without doing a finished step twice. What it
does not know is where the work happens: that is the place behind the steps.
"""

import msgspec
from msgspec.structs import replace

from pm_orchestrator.domain.company.assignment import Assignment, AttemptResult, not_called
from pm_orchestrator.domain.judging.outcome import Reason
from pm_orchestrator.domain.tasks.phase import Phase
from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.ports.engine import Engine, StepFailedError
from pm_orchestrator.runner.run.lifecycle import Lifecycle
from pm_orchestrator.runner.run.steps import (
    ANALYSE,
    ATTEMPT,
    CHECK,
    DECOMPOSE,
    DELIVER,
    ENTER_PHASE,
    EXAMINE,
    MERGE,
    PLAN,
    REPORT,
    VALIDATE,
    Analysis,
    Begun,
    CheckInput,
    DeliverInput,
    Examination,
    ExamineInput,
    Integration,
    MergeInput,
    PhaseEntered,
    PlanInput,
    ReportInput,
    RunEnd,
    RunOrder,
    ValidateInput,
    WorkDone,
)


class SubTaskWork(msgspec.Struct, frozen=True, kw_only=True):
    """One sub-task on its way through the run."""

    assignment: Assignment
    attempts: tuple[int, ...] = ()
    result: AttemptResult | None = None
    """What is still to be examined."""
    examined: Examination | None = None
    stopped: StepFailedError | None = None

    def done(self) -> WorkDone:
        return WorkDone(
            sub_task=self.assignment.sub_task,
            branch=self.assignment.branch,
            attempts=self.attempts,
            examined=self.examined,
            failure=None if self.stopped is None else self.stopped.failure,
        )


async def carry_out(engine: Engine, order: RunOrder) -> RunEnd:
    """Carry out one instruction and say what was proved."""
    life = Lifecycle(
        lambda phase: engine.step(ENTER_PHASE, PhaseEntered(phase=phase), key=f"phase/{phase}")
    )
    await life.enter(Phase.REQUIREMENT_ANALYSIS)
    analysis = await engine.step(ANALYSE, order, key="analysis")

    await life.enter(Phase.TASK_DECOMPOSITION)
    plan = await engine.step(DECOMPOSE, analysis, key="decomposition")

    await life.enter(Phase.PLANNING)
    given = PlanInput(analysis=analysis, plan=plan)
    schedule = await engine.step(PLAN, given, key="planning")

    await life.enter(Phase.EXECUTION)
    one = _Part(engine, order, analysis, whole=plan.whole)
    work = await engine.all([one.attempts(item) for item in schedule.items])
    _stop_unless_judgeable(work)

    await life.enter(Phase.QA)
    work = await engine.all([one.last_examination(item) for item in work])
    _stop_unless_judgeable(work)
    integration = await _integrate(engine, order, analysis, work)

    await life.enter(Phase.COMPLETION_VALIDATION)
    verdict = await engine.step(
        VALIDATE,
        ValidateInput(
            analysis=analysis,
            whole=plan.whole,
            tickets=tuple(w.assignment.sub_task.ticket for w in work),
            integration=integration,
        ),
        key="validation",
    )
    await life.enter(Phase.REPORT)
    delivered = await engine.step(
        DELIVER,
        DeliverInput(integration=integration, verdict=verdict),
        key="delivery",
    )
    return await engine.step(
        REPORT,
        ReportInput(
            work=tuple(w.done() for w in work),
            integration=integration,
            verdict=verdict,
            delivered=delivered,
            findings=schedule.findings,
        ),
        key="report",
    )


class _Part:
    """The way of one sub-task. A failure of its own stops it and nobody else."""

    def __init__(self, engine: Engine, order: RunOrder, analysis: Analysis, *, whole: bool) -> None:
        self._engine = engine
        self._order = order
        self._analysis = analysis
        self._whole = whole

    async def attempts(self, begun: Begun) -> SubTaskWork:
        """Attempt, examine, and send back with the reason, until it holds or attempts run out.

        An examination that can send nothing back any more belongs to QA.
        """
        work = SubTaskWork(assignment=begun.assignment, examined=begun.done)
        first = begun.assignment.attempt + (begun.done is not None)
        # Where nobody is called, trying again would change nothing.
        called = self._analysis.requirement.needs_executor
        last = first + (self._order.max_attempts if called else 1) - 1
        try:
            while work.examined is None or work.examined.status is not TaskStatus.COMPLETE:
                work = await self._attempt(work)
                if work.attempts[-1] >= last:
                    return work
                work = await self._examine(work)
        except StepFailedError as error:
            return replace(work, stopped=error)
        return work

    async def last_examination(self, work: SubTaskWork) -> SubTaskWork:
        """Find out what is true of a claim that nobody has looked at yet."""
        if work.result is None or work.stopped is not None:
            return work
        try:
            return await self._examine(work)
        except StepFailedError as error:
            return replace(work, stopped=error)

    async def _attempt(self, work: SubTaskWork) -> SubTaskWork:
        assignment = work.assignment
        if work.examined is not None:
            assignment = replace(
                assignment,
                start=work.examined.tree or assignment.start,
                attempt=assignment.attempt + 1,
                feedback=work.examined.feedback,
                goes_on=work.examined.unfinished,
            )
        if self._analysis.requirement.needs_executor:
            key = f"{assignment.sub_task.ticket}/attempt/{assignment.attempt}"
            result = await self._engine.step(ATTEMPT, assignment, key=key)
        else:
            result = not_called(assignment)
        return replace(
            work,
            assignment=assignment,
            attempts=(*work.attempts, assignment.attempt),
            result=result,
        )

    async def _examine(self, work: SubTaskWork) -> SubTaskWork:
        assignment, result = work.assignment, work.result
        assert result is not None
        given = ExamineInput(
            analysis=self._analysis, assignment=assignment, result=result, whole=self._whole
        )
        key = f"{assignment.sub_task.ticket}/examine/{assignment.attempt}"
        examined = await self._engine.step(EXAMINE, given, key=key)
        return replace(work, examined=examined, result=None)


def _stop_unless_judgeable(work: list[SubTaskWork]) -> None:
    """Go no further when something may still be done later, or nothing was done at all.

    Everybody has come to their end by now, so nothing is cut off; what was stopped for a
    reason that may pass is taken up again when the run is resumed.

    Raises:
        StepFailedError: the failure that stopped it.
    """
    stopped = [w.stopped for w in work if w.stopped is not None]
    passing = [error for error in stopped if error.passing]
    if passing:
        raise passing[0]
    if stopped and len(stopped) == len(work):
        raise stopped[0]


async def _integrate(
    engine: Engine, order: RunOrder, analysis: Analysis, work: list[SubTaskWork]
) -> Integration:
    """Bring delivered work together one by one; what breaks the whole is left out again."""
    ready, left_out = _sorted(work)
    if len(work) == 1:
        # A whole that is exactly its only part has been judged.
        only = work[0].examined
        facts = None if only is None else only.facts
        return Integration(
            tree=only.tree if ready and only is not None else None,
            merged=tuple(ready),
            left_out=left_out,
            facts=facts,
            parts=() if facts is None else (facts,),
        )
    tree, facts, parts = order.base, None, ()
    merged: list[str] = []
    for ticket, item in ready.items():
        examined = item.examined
        assert examined is not None
        assert examined.tree is not None
        sub_task = item.assignment.sub_task
        given = MergeInput(into=tree, commit=examined.tree, sub_task=sub_task)
        result = await engine.step(MERGE, given, key=f"{ticket}/merge")
        if result.commit is None:
            files = ", ".join(result.conflicts)
            left_out[ticket] = Reason(key="merge_conflicts", params={"files": files})
            continue
        checked = await engine.step(
            CHECK,
            CheckInput(
                analysis=analysis,
                tree=result.commit,
                label=ticket,
                parts=(*parts, examined.facts),
            ),
            key=f"{ticket}/check",
        )
        if not checked.deliverable:
            left_out[ticket] = Reason(key="breaks_when_merged")
            continue
        tree, facts, parts = result.commit, checked.facts, (*parts, examined.facts)
        merged.append(ticket)
    return Integration(
        tree=tree if merged else None,
        merged=tuple(merged),
        left_out=left_out,
        facts=facts,
        parts=parts,
    )


def _sorted(work: list[SubTaskWork]) -> tuple[dict[str, SubTaskWork], dict[str, Reason]]:
    """What can be delivered by ticket, and why the rest cannot."""
    ready: dict[str, SubTaskWork] = {}
    left_out: dict[str, Reason] = {}
    for item in work:
        ticket = item.assignment.sub_task.ticket
        if item.stopped is not None:
            what = item.stopped.failure.error().what().rstrip(".")
            left_out[ticket] = Reason(key="part_stopped", params={"what": what})
        elif item.examined is not None and item.examined.deliverable:
            ready[ticket] = item
        else:
            assert item.examined is not None, "what was not stopped was examined"
            left_out[ticket] = item.examined.reason
    return ready, left_out
