"""The steps of a run as a script has them, for trying the run code over every course.

Nothing is done here: a course says what each attempt delivers, claims and fails with, how
the merge goes and what the gates say afterwards. Facts and verdicts are the product's own.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from pm_orchestrator.domain.company.assignment import Assignment, AttemptResult
from pm_orchestrator.domain.errors import NeedsPersonError, PmError, RetryableError
from pm_orchestrator.domain.judging.gate import Gate, GateReport, GateResult, GateVerdict
from pm_orchestrator.domain.judging.outcome import (
    ClaimKind,
    ExecutorClaim,
    Facts,
    FileChange,
    VerifiedOutcome,
)
from pm_orchestrator.domain.tasks.phase import Phase
from pm_orchestrator.domain.tasks.task import SubTask
from pm_orchestrator.gates.judge.completion import decide
from pm_orchestrator.ports.engine import Body
from pm_orchestrator.runner.instructions.requirement import understand
from pm_orchestrator.runner.places.place import Delivered, Seen
from pm_orchestrator.runner.run import steps
from pm_orchestrator.runner.run.examined import Examined, examination, kept_as
from pm_orchestrator.runner.run.facts import Quality, Wanted, facts_of
from pm_orchestrator.runner.run.kept import KeptInMemory

BASE = "0" * 40
TEST = Gate(kind="test", argv=("make", "test"), source="Makefile")
PART = FileChange(path="f", kind="created", size=1)

Delivery = Literal["nothing", "broken", "doubtful", "good"]
"""Doubtful is what only a person can accept: its gates could not run."""
Failing = Literal["stop", "outage", "ask"]
VERDICTS: dict[Delivery, GateVerdict] = {
    "broken": GateVerdict.FAIL,
    "doubtful": GateVerdict.COULD_NOT_RUN,
    "good": GateVerdict.PASS,
}


class ScriptedAttempt(msgspec.Struct, frozen=True, kw_only=True):
    """One attempt: what comes of it, and which of its two steps fails."""

    delivers: Delivery = "good"
    claim: ClaimKind = "finished"
    fails_in: Literal["", "attempt", "examine"] = ""
    fails_with: Failing = "stop"


class Course(msgspec.Struct, frozen=True, kw_only=True):
    """The way of one sub-task."""

    attempts: tuple[ScriptedAttempt, ...]
    earlier: Literal["", "broken", "good"] = ""
    """What a run before this one has left of it."""
    merges: bool = True
    after: GateVerdict = GateVerdict.PASS
    """What the gates say once it is merged."""

    @property
    def first(self) -> int:
        """The number of its first attempt in this run."""
        return 2 if self.earlier else 1


class ScriptedRun:
    """Bodies that follow the courses, one per sub-task; it remembers what it was asked."""

    def __init__(self, courses: list[Course], *, whole: bool) -> None:
        self._courses = courses
        self._whole = whole
        self._trees: dict[str, Delivery] = {}
        self.kept = KeptInMemory()
        self.phases: list[Phase] = []
        self.attempts: list[Assignment] = []
        self.examined: list[tuple[str, int, Phase]] = []
        """Ticket, attempt, and the phase it was examined in."""
        self.checked: list[steps.CheckInput] = []
        self.validated: list[steps.ValidateInput] = []
        self.verdicts: list[VerifiedOutcome] = []
        self.delivered: list[steps.DeliverInput] = []
        self.reported: list[steps.ReportInput] = []

    def bodies(self) -> dict[str, Body]:
        def body(work: Callable[[Any], Awaitable[Any]]) -> Body:
            return lambda given, _: work(given)

        return {
            "enter_phase": body(self._enter_phase),
            "analyse": body(self._analyse),
            "decompose": body(self._decompose),
            "plan": body(self._plan),
            "attempt": body(self._attempt),
            "examine": body(self._examine),
            "merge": body(self._merge),
            "check": body(self._check),
            "validate": body(self._validate),
            "deliver": body(self._deliver),
            "report": body(self._report),
        }

    def course(self, ticket: str) -> Course:
        return self._courses[int(ticket[-2:]) - 1]

    async def _enter_phase(self, given: steps.PhaseEntered) -> steps.PhaseEntered:
        self.phases.append(given.phase)
        return given

    async def _analyse(self, order: steps.RunOrder) -> steps.Analysis:
        return steps.Analysis(
            requirement=understand(order.instruction, order.task_id), gates=(TEST,)
        )

    async def _decompose(self, _: steps.Analysis) -> steps.Plan:
        parent = "20260115-ab12"
        parts = tuple(
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
        return steps.Plan(sub_tasks=parts, whole=self._whole)

    async def _plan(self, given: steps.PlanInput) -> steps.Schedule:
        begun = [await self._begun(sub_task) for sub_task in given.plan.sub_tasks]
        return steps.Schedule(items=tuple(begun))

    async def _begun(self, sub_task: SubTask) -> steps.Begun:
        course = self.course(sub_task.ticket)
        first = Assignment(
            run_id="run_001",
            task_id="task-1",
            sub_task=sub_task,
            branch=f"agent/{sub_task.ticket}",
            start=BASE,
            attempt=1,
            feedback="",
            model="m",
            max_turns=3,
        )
        if not course.earlier:
            return steps.Begun(assignment=first)
        made = self._made(sub_task, 1, course.earlier)
        start = msgspec.structs.replace(first, start=made or BASE)
        result = _result(first, ScriptedAttempt(delivers=course.earlier), made)
        return steps.Begun(assignment=start, done=await self._judged(start, result, made))

    async def _attempt(self, given: Assignment) -> AttemptResult:
        self.attempts.append(given)
        attempt = await self._now(given.sub_task.ticket, given.attempt, "attempt")
        made = self._made(given.sub_task, given.attempt, attempt.delivers)
        return _result(given, attempt, made)

    async def _examine(self, given: steps.ExamineInput) -> steps.Examination:
        assignment = given.assignment
        ticket, number = assignment.sub_task.ticket, assignment.attempt
        self.examined.append((ticket, number, self.phases[-1]))
        await self._now(ticket, number, "examine")
        start = assignment.start if assignment.start != BASE else None
        return await self._judged(assignment, given.result, given.result.commit or start)

    async def _now(self, ticket: str, number: int, step: str) -> ScriptedAttempt:
        """The attempt that is due, unless it is to fail in this step."""
        course = self.course(ticket)
        # Others get their turn in between, a different one each time.
        for _ in range(int(ticket[-2:]) * number % 3):
            await asyncio.sleep(0)
        attempt = course.attempts[number - course.first]
        if attempt.fails_in == step:
            raise failing(attempt.fails_with, ticket)
        return attempt

    def _made(self, sub_task: SubTask, number: int, delivers: Delivery) -> str | None:
        if delivers == "nothing":
            return None
        tree = f"{sub_task.sub_id}{number}".ljust(40, "a")
        self._trees[tree] = delivers
        return tree

    async def _judged(
        self, assignment: Assignment, result: AttemptResult, tree: str | None
    ) -> steps.Examination:
        verdict = VERDICTS[self._trees[tree]] if tree is not None else GateVerdict.ABSENT
        outcome = decide(facts_about(tree, verdict))
        name = kept_as(assignment.sub_task.ticket, assignment.attempt)
        kept = Examined(
            result=result,
            outcome=outcome,
            commits=(),
            speculative=False,
            started_at="",
            ended_at="",
        )
        return examination(outcome, await self.kept.keep(name, kept))

    async def _merge(self, given: steps.MergeInput) -> steps.MergeOutput:
        if not self.course(given.sub_task.ticket).merges:
            return steps.MergeOutput(commit=None, conflicts=("f",))
        return steps.MergeOutput(commit=f"merged{given.sub_task.sub_id}", conflicts=())

    async def _check(self, given: steps.CheckInput) -> steps.Examination:
        self.checked.append(given)
        outcome = decide(facts_about(given.tree, self.course(given.label).after))
        return examination(outcome, await self.kept.keep(f"{given.label}/merged", outcome.facts))

    async def _validate(self, given: steps.ValidateInput) -> steps.Verdict:
        self.validated.append(given)
        integration = given.integration
        facts = facts_about(None, GateVerdict.ABSENT)
        if integration.facts is not None and integration.facts in integration.parts:
            facts = self.kept.read(Examined, integration.facts).outcome.facts
        elif integration.facts is not None:
            facts = self.kept.read(Facts, integration.facts)
        if not given.whole:
            left_out = {t: why for t, why in integration.left_out.items() if t in given.tickets}
            facts = replace(facts, left_out=left_out)
        outcome = decide(facts)
        self.verdicts.append(outcome)
        name = await self.kept.keep("verdict", outcome.facts)
        return steps.Verdict(status=outcome.status, reason=outcome.because(), facts=name)

    async def _deliver(self, given: steps.DeliverInput) -> Delivered:
        self.delivered.append(given)
        return Delivered(branch="agent/it" if given.integration.tree is not None else None)

    async def _report(self, given: steps.ReportInput) -> steps.RunEnd:
        self.reported.append(given)
        return steps.RunEnd(status=given.verdict.status, result="result")


def failing(how: Failing, ticket: str) -> PmError:
    """The error of a step: for good, for now, or until a person has spoken."""
    if how == "outage":
        return RetryableError("model_unavailable", reason=f"busy with {ticket}")
    if how == "ask":
        return NeedsPersonError("executor_question", question=f"what about {ticket}?")
    return PmError("git_failed", operation="commit", reason=ticket)


def facts_about(tree: str | None, verdict: GateVerdict) -> Facts:
    """The facts about a tree on which the tests end like this."""
    result = GateResult(kind="test", verdict=verdict, output="")
    return facts_of(
        Wanted(instruction="Do it", repairs=""),
        Seen(tree=tree or BASE, changes=(PART,) if tree else (), absent=frozenset()),
        Quality(report=GateReport(commit=tree or BASE, results=(result,))),
        (TEST,),
    )


def _result(given: Assignment, attempt: ScriptedAttempt, made: str | None) -> AttemptResult:
    return AttemptResult(
        ticket=given.sub_task.ticket,
        attempt=given.attempt,
        worker="worker-1",
        claim=ExecutorClaim(kind=attempt.claim, summary="All done!"),
        commit=made,
    )
