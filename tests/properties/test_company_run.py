"""The run's own code, over every course that agents, merges and gates can take."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from hypothesis import given, strategies as st

from pm_orchestrator.domain.assignment import Assignment, AttemptResult
from pm_orchestrator.domain.gate import Gate, GateReport, GateResult, GateVerdict
from pm_orchestrator.domain.outcome import ExecutorClaim, Facts, FileChange, VerifiedOutcome
from pm_orchestrator.domain.phase import Phase
from pm_orchestrator.domain.status import TaskStatus
from pm_orchestrator.domain.task import SubTask, TaskType
from pm_orchestrator.gates.completion import combine, decide
from pm_orchestrator.ports.engine import Body
from pm_orchestrator.runner import steps
from pm_orchestrator.runner.company_run import company_run
from pm_orchestrator.runner.run_report import work_results
from pm_orchestrator.testing.memory_engine import MemoryEngine

BASE = "0" * 40
TEST = Gate(kind="test", argv=("make", "test"), source="Makefile")
MAX_ATTEMPTS = 3

Course = dict[str, Any]
"""One sub-task: which attempts deliver, whether it merges, what the gates say afterwards."""

COURSES = st.lists(
    st.fixed_dictionaries(
        {
            "delivers": st.lists(
                st.sampled_from(["nothing", "broken", "good"]),
                min_size=MAX_ATTEMPTS,
                max_size=MAX_ATTEMPTS,
            ),
            "claims": st.lists(
                st.sampled_from(["finished", "gave_up", "failed"]),
                min_size=MAX_ATTEMPTS,
                max_size=MAX_ATTEMPTS,
            ),
            "merges": st.booleans(),
            "after": st.sampled_from(list(GateVerdict)),
        }
    ),
    min_size=1,
    max_size=4,
)


def report(commit: str, verdict: GateVerdict) -> GateReport:
    result = GateResult(kind="test", verdict=verdict, output="")
    return GateReport(commit=commit, results=(result,))


class Company:
    """Bodies of the steps that follow the given courses; it remembers what it was asked."""

    def __init__(self, courses: list[Course]) -> None:
        self._courses = courses
        self.phases: list[Phase] = []
        self.attempts: list[Assignment] = []
        self.validated: list[steps.ValidateInput] = []
        self.reported: list[steps.ReportInput] = []

    def bodies(self) -> dict[str, Body]:
        def body(work: Callable[[Any], Awaitable[Any]]) -> Body:
            return lambda given, _: work(given)

        return {
            "enter_phase": body(self.enter_phase),
            "analyse": body(self.analyse),
            "decompose": body(self.decompose),
            "plan": body(self.plan),
            "attempt": body(self.attempt),
            "examine": body(self.examine),
            "merge": body(self.merge),
            "check": body(self.check),
            "validate": body(self.validate),
            "report": body(self.report),
        }

    def course(self, sub_task: SubTask) -> Course:
        return self._courses[int(sub_task.sub_id) - 1]

    async def enter_phase(self, given: steps.PhaseEntered) -> steps.PhaseEntered:
        self.phases.append(given.phase)
        return given

    async def analyse(self, _: steps.RunOrder) -> steps.Analysis:
        return steps.Analysis(
            task_type=TaskType.IMPLEMENTATION,
            question=None,
            expected_files=(),
            base=BASE,
            gates=(TEST,),
            preflight=report(BASE, GateVerdict.PASS),
        )

    async def decompose(self, given: steps.DecomposeInput) -> steps.Plan:
        parent = given.order.ticket
        return steps.Plan(
            sub_tasks=tuple(
                SubTask(
                    ticket=f"{parent}-{number:02d}",
                    parent_id=parent,
                    title=f"Part {number}",
                    description="",
                    acceptance_criteria=(),
                    expected_files=(),
                )
                for number in range(1, len(self._courses) + 1)
            )
        )

    async def plan(self, given: steps.PlanInput) -> steps.Schedule:
        return steps.Schedule(
            first_assignments=tuple(
                Assignment(
                    run_id=given.order.run_id,
                    task_id=given.order.task_id,
                    sub_task=sub_task,
                    branch=f"agent/{sub_task.ticket}",
                    start=given.analysis.base,
                    attempt=1,
                    feedback="",
                    model="m",
                    max_turns=3,
                )
                for sub_task in given.plan.sub_tasks
            )
        )

    async def attempt(self, given: Assignment) -> AttemptResult:
        self.attempts.append(given)
        course = self.course(given.sub_task)
        delivers = course["delivers"][given.attempt - 1] != "nothing"
        return AttemptResult(
            ticket=given.sub_task.ticket,
            attempt=given.attempt,
            worker="worker-1",
            claim=ExecutorClaim(kind=course["claims"][given.attempt - 1], summary="All done!"),
            commit=f"{given.sub_task.sub_id}{given.attempt}".ljust(40, "a") if delivers else None,
            rescue_ref=None,
            conversation="",
        )

    async def examine(self, given: steps.ExamineInput) -> steps.Examination:
        commit = given.result.commit
        good = (
            self.course(given.assignment.sub_task)["delivers"][given.result.attempt - 1] == "good"
        )
        verdict = GateVerdict.PASS if good else GateVerdict.FAIL
        outcome = decide(
            Facts(
                commit=commit,
                changes=(FileChange(path="f", kind="created", size=1),) if commit else (),
                expected_files=(),
                missing_files=(),
                gates=report(commit, verdict) if commit else None,
            )
        )
        return steps.Examination(
            outcome=outcome, commits=(), speculative=False, started_at="", ended_at=""
        )

    async def merge(self, given: steps.MergeInput) -> steps.MergeOutput:
        if not self.course(given.sub_task)["merges"]:
            return steps.MergeOutput(commit=None, conflicts=("f",))
        return steps.MergeOutput(commit=f"merged{given.sub_task.sub_id}", conflicts=())

    async def check(self, given: steps.CheckInput) -> GateReport:
        course = self._courses[int(given.label[-2:]) - 1]
        return report(given.commit, course["after"])

    async def validate(self, given: steps.ValidateInput) -> VerifiedOutcome:
        self.validated.append(given)
        integration = given.integration
        whole = decide(
            Facts(
                commit=integration.commit if integration.commit != BASE else None,
                changes=(FileChange(path="f", kind="created", size=1),),
                expected_files=(),
                missing_files=(),
                gates=integration.gates,
            )
        )
        return combine(whole, {t: integration.left_out.get(t) for t in given.tickets})

    async def report(self, given: steps.ReportInput) -> Any:
        self.reported.append(given)
        raise Stop


class Stop(Exception):  # noqa: N818
    """The report itself is tested elsewhere."""


ORDER = steps.RunOrder(
    run_id="run_001",
    session_id="s",
    task_id="task-1",
    ticket="20260115-ab12",
    instruction="Do it",
    project="/p",
    base_ref="HEAD",
    target="main",
    remote=None,
    model="m",
    max_attempts=MAX_ATTEMPTS,
    max_turns=3,
)


def run(courses: list[Course]) -> tuple[Company, MemoryEngine]:
    company = Company(courses)
    engine = MemoryEngine(company.bodies())

    async def go() -> None:
        try:
            await company_run(engine, ORDER)
        except Stop:
            return

    asyncio.run(go())
    return company, engine


def accepted(course: Course) -> bool:
    return "good" in course["delivers"]


def lands(course: Course) -> bool:
    clean = course["after"] in {GateVerdict.PASS, GateVerdict.ABSENT}
    return accepted(course) and course["merges"] and clean


@given(COURSES)
def test_the_seven_phases_in_order_once_each(courses: list[Course]) -> None:
    """R-4 Seven-Phase Lifecycle Enforcement: whatever happens, each phase once and in order."""
    company, _ = run(courses)
    assert company.phases == list(Phase)


@given(COURSES)
def test_refused_work_is_sent_back_until_it_holds(courses: list[Course]) -> None:
    """R-17 Numerical Limits Enforcement: attempts end at the first proof or at the limit."""
    company, _ = run(courses)
    for number, course in enumerate(courses, start=1):
        made = [a for a in company.attempts if a.sub_task.sub_id == f"{number:02d}"]
        expected = course["delivers"].index("good") + 1 if accepted(course) else MAX_ATTEMPTS
        assert [a.attempt for a in made] == list(range(1, expected + 1))
        assert [bool(a.feedback) for a in made] == [False] + [True] * (expected - 1)


@given(COURSES)
def test_only_proved_work_is_merged(courses: list[Course]) -> None:
    """E-8 Merge Branch Restriction: what is not accepted, conflicts or breaks stays out."""
    company, _ = run(courses)
    integration = company.validated[0].integration
    landed = [n for n, c in enumerate(courses, start=1) if lands(c)]
    assert [int(t[-2:]) for t in integration.merged] == landed
    assert {int(t[-2:]) for t in integration.left_out} == {
        n for n, c in enumerate(courses, start=1) if not lands(c)
    }
    assert integration.commit == (f"merged{landed[-1]:02d}" if landed else BASE)
    assert integration.gates.commit == integration.commit


@given(COURSES)
def test_complete_means_every_part(courses: list[Course]) -> None:
    """R-8 Completion Validation Authority: one part that is not in it, and it is not COMPLETE."""
    company, _ = run(courses)
    status = company.reported[0].outcome.status
    assert (status is TaskStatus.COMPLETE) == all(lands(c) for c in courses)


@given(COURSES, st.sampled_from(["finished", "gave_up", "failed"]))
def test_no_claim_changes_the_verdict(courses: list[Course], claim: str) -> None:
    """R-1 Execution Authority Enforcement: with other claims the same facts give the same end."""
    told = [{**course, "claims": [claim] * MAX_ATTEMPTS} for course in courses]
    first, second = run(courses)[0].reported[0], run(told)[0].reported[0]
    assert first.outcome == second.outcome
    assert first.integration == second.integration


@given(COURSES)
def test_the_result_of_each_worker_is_complete(courses: list[Course]) -> None:
    """E-23 Execution Result Structure: valid JSON, all fields, one of four words."""
    company, _ = run(courses)
    for result, course in zip(work_results(company.reported[0]), courses, strict=True):
        data = msgspec.json.decode(msgspec.json.encode(result))
        assert {
            "run_id",
            "ticket_id",
            "agent_id",
            "status",
            "start_time",
            "end_time",
            "artifacts",
            "git_branch",
            "quality_gates",
            "errors",
        } <= data.keys()
        failed = "quality_failed" if course["delivers"][-1] == "broken" else "partial"
        assert data["status"] == ("success" if accepted(course) else failed)
        assert bool(data["errors"]) != accepted(course)
        assert len(data["refusals"]) == (
            course["delivers"].index("good") if accepted(course) else MAX_ATTEMPTS
        )
