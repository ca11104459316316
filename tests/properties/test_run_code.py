"""The run's own code, over every course that agents, outages, merges and gates can take."""

import asyncio

import msgspec
import pytest
from hypothesis import assume, given, strategies as st
from msgspec.structs import replace

from pm_orchestrator.domain.judging.gate import GateVerdict
from pm_orchestrator.domain.tasks.phase import Phase
from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.ports.engine import StepFailedError
from pm_orchestrator.runner.run import steps
from pm_orchestrator.runner.run.examined import Examined, kept_as
from pm_orchestrator.runner.run.run_report import work_result
from pm_orchestrator.runner.run.seven_phases import carry_out
from pm_orchestrator.testing.memory.memory_engine import MemoryEngine
from pm_orchestrator.testing.scripted.scripted_run import (
    Course,
    Delivery,
    Failing,
    ScriptedAttempt,
    ScriptedRun,
)

MAX_ATTEMPTS = 3
TICKET = "20260115-ab12"
CLEAN = {GateVerdict.PASS, GateVerdict.ABSENT}

DELIVERIES = st.sampled_from(("nothing", "broken", "doubtful", "good"))
CLAIMS = st.sampled_from(("finished", "gave_up", "failed"))
FAILING = st.sampled_from(("stop", "outage", "ask"))


def courses(*, stops: bool) -> st.SearchStrategy[list[Course]]:
    """One to four sub-tasks; with `stops`, steps of some attempts fail."""
    fails_in = st.sampled_from(("", "", "", "attempt", "examine")) if stops else st.just("")
    attempt = st.builds(
        ScriptedAttempt,
        delivers=DELIVERIES,
        claim=CLAIMS,
        fails_in=fails_in,
        fails_with=FAILING,
    )
    course = st.builds(
        Course,
        attempts=st.lists(attempt, min_size=MAX_ATTEMPTS, max_size=MAX_ATTEMPTS).map(tuple),
        earlier=st.sampled_from(("", "", "broken", "good")),
        merges=st.booleans(),
        after=st.sampled_from(list(GateVerdict)),
    )
    return st.lists(course, min_size=1, max_size=4)


COURSES, STOPPED = courses(stops=False), courses(stops=True)
ORDER = steps.RunOrder(
    run_id="run_001",
    session_id="s",
    task_id="task-1",
    ticket=TICKET,
    way="company",
    instruction="Create f.py",
    project="/p",
    base="0" * 40,
    target="main",
    model="m",
    max_attempts=MAX_ATTEMPTS,
    max_turns=3,
)


class Walk(msgspec.Struct, kw_only=True):
    """What has to become of one sub-task, whatever becomes of the others."""

    tried: list[int]
    examined: list[tuple[int, Phase]]
    holds: Delivery
    """What its branch holds when it was last examined."""
    stopped: Failing | None = None
    stopped_in: Phase = Phase.EXECUTION

    @property
    def deliverable(self) -> bool:
        return self.stopped is None and self.holds in {"good", "doubtful"}

    def stopped_by(self, phase: Phase) -> bool:
        """Whether it was stopped in this phase or before."""
        return self.stopped is not None and (phase is Phase.QA or self.stopped_in is phase)

    def examined_by(self, phase: Phase) -> list[tuple[int, Phase]]:
        """Its examinations in a run that comes to its end in this phase."""
        return [e for e in self.examined if phase is not Phase.EXECUTION or e[1] is phase]


def walk(course: Course) -> Walk:
    found = Walk(tried=[], examined=[], holds=course.earlier or "nothing")
    if found.holds == "good":
        return found
    for index, attempt in enumerate(course.attempts):
        number = course.first + index
        phase = Phase.QA if index == MAX_ATTEMPTS - 1 else Phase.EXECUTION
        found.tried.append(number)
        if attempt.fails_in == "attempt":
            found.stopped = attempt.fails_with
            return found
        found.examined.append((number, phase))
        if attempt.fails_in == "examine":
            found.stopped, found.stopped_in = attempt.fails_with, phase
            return found
        found.holds = attempt.delivers if attempt.delivers != "nothing" else found.holds
        if found.holds == "good":
            break
    return found


def last_phase(walks: list[Walk]) -> Phase:
    """The phase in which the run has to end."""
    for phase in (Phase.EXECUTION, Phase.QA):
        stopped = [w for w in walks if w.stopped_by(phase)]
        if any(w.stopped == "outage" for w in stopped) or len(stopped) == len(walks):
            return phase
    return Phase.REPORT


def lands(given: list[Course], number: int) -> bool:
    course, alone = given[number - 1], len(given) == 1
    whole = alone or (course.merges and course.after is not GateVerdict.FAIL)
    return walk(course).deliverable and whole


class Ran(msgspec.Struct, kw_only=True):
    """A run that came to an end, or was stopped."""

    script: ScriptedRun
    engine: MemoryEngine
    end: steps.RunEnd | None = None
    stopped: StepFailedError | None = None


def run(given: list[Course], *, whole: bool = False) -> Ran:
    script = ScriptedRun(given, whole=whole)
    engine = MemoryEngine(script.bodies())
    ran = Ran(script=script, engine=engine)
    try:
        ran.end = asyncio.run(carry_out(engine, ORDER))
    except StepFailedError as error:
        ran.stopped = error
    return ran


def of(ticket: str) -> int:
    return int(ticket[-2:])


@given(STOPPED)
def test_the_seven_phases_in_order_once_each(given: list[Course]) -> None:
    """R-4 Seven-Phase Lifecycle Enforcement: whatever happens, each phase once and in order."""
    ran = run(given)
    end = last_phase([walk(course) for course in given])
    reached = list(Phase)[: list(Phase).index(end) + 1]
    assert ran.script.phases == reached
    assert (ran.end is not None) == (end is Phase.REPORT)


@given(STOPPED)
def test_each_sub_task_goes_its_own_way(given: list[Course]) -> None:
    """R-17 Numerical Limits Enforcement: attempts end at a proof, a stop of its own, or the limit.

    Whatever stops one, its siblings get their attempts and their examinations; what is
    examined last, so that nothing can be sent back any more, is examined in QA.
    """
    ran = run(given)
    end = last_phase([walk(course) for course in given])
    for number, course in enumerate(given, start=1):
        way = walk(course)
        made = [a for a in ran.script.attempts if a.sub_task.sub_id == f"{number:02d}"]
        assert [a.attempt for a in made] == way.tried
        assert len(made) <= MAX_ATTEMPTS
        began = bool(course.earlier)
        assert [bool(a.feedback) for a in made] == [began or n > 0 for n in range(len(made))]
        seen = [(n, phase) for t, n, phase in ran.script.examined if of(t) == number]
        assert seen == way.examined_by(end)


@given(STOPPED)
def test_what_was_proved_before_is_not_attempted_again(given: list[Course]) -> None:
    """R-17 Numerical Limits Enforcement: a COMPLETE examination of an earlier run stands."""
    assume(any(course.earlier == "good" for course in given))
    ran = run(given)
    done = {n for n, course in enumerate(given, start=1) if course.earlier == "good"}
    assert done.isdisjoint(of(a.sub_task.ticket) for a in ran.script.attempts)
    assert done.isdisjoint(of(ticket) for ticket, _, _ in ran.script.examined)


@given(STOPPED)
def test_an_outage_is_raised_when_all_have_come_to_their_end(given: list[Course]) -> None:
    """R-9 Fail-Safe Error Handling: nothing is cut off by it, and no step comes after it."""
    walks = [walk(course) for course in given]
    end = last_phase(walks)
    assume(end is not Phase.REPORT)
    ran = run(given)
    assert ran.stopped is not None
    stopped = [(n, w) for n, w in enumerate(walks, start=1) if w.stopped_by(end)]
    outages = [n for n, w in stopped if w.stopped == "outage"]
    assert ran.stopped.passing == bool(outages)
    first = outages[0] if outages else stopped[0][0]
    assert f"{TICKET}-{first:02d}/" in str(ran.stopped.params["key"])
    assert not ran.script.validated
    assert not ran.script.delivered


@given(STOPPED)
def test_every_step_is_asked_for_once_and_none_besides(given: list[Course]) -> None:
    """R-4 Seven-Phase Lifecycle Enforcement: the steps of a run follow from its course."""
    walks = [walk(course) for course in given]
    end = last_phase(walks)
    ran = run(given)
    keys = [f"phase/{p}" for p in list(Phase)[: list(Phase).index(end) + 1]]
    keys += ["analysis", "decomposition", "planning"]
    for number, (course, way) in enumerate(zip(given, walks, strict=True), start=1):
        ticket = f"{TICKET}-{number:02d}"
        keys += [f"{ticket}/attempt/{n}" for n in way.tried]
        keys += [f"{ticket}/examine/{n}" for n, _ in way.examined_by(end)]
        if end is Phase.REPORT and way.deliverable and len(given) > 1:
            keys += [f"{ticket}/merge"] + ([f"{ticket}/check"] if course.merges else [])
    keys += ["validation", "delivery", "report"] if end is Phase.REPORT else []
    assert sorted(ran.engine.keys) == sorted(keys)


@given(STOPPED)
def test_only_proved_work_is_merged(given: list[Course]) -> None:
    """E-8 Merge Branch Restriction: what is stopped, refused, conflicts or breaks stays out."""
    ran = run(given)
    assume(ran.end is not None)
    integration = ran.script.validated[0].integration
    numbers = range(1, len(given) + 1)
    landed = [n for n in numbers if lands(given, n)]
    assert [of(t) for t in integration.merged] == landed
    assert {of(t) for t in integration.left_out} == set(numbers) - set(landed)
    for ticket, why in integration.left_out.items():
        assert why.key == left_out_because(given, of(ticket)), why.say()
    if not landed:
        assert integration.tree is None
    elif len(given) > 1:
        assert integration.tree == f"merged{landed[-1]:02d}"
        assert integration.facts == f"{TICKET}-{landed[-1]:02d}/merged"
    # A later merge builds on what holds, and never on what was left out again.
    good = {f"merged{n:02d}" for n in landed} | {ORDER.base}
    assert {kept for check in ran.script.checked for kept in check.parts} <= {
        kept_as(f"{TICKET}-{n:02d}", walk(c).examined[-1][0] if walk(c).examined else 1)
        for n, c in enumerate(given, start=1)
        if walk(c).deliverable
    }
    assert integration.tree in {*good, None} or len(given) == 1


def left_out_because(given: list[Course], number: int) -> str:
    course = given[number - 1]
    way = walk(course)
    if way.stopped:
        return "part_stopped"
    if not way.deliverable:
        return "gate_failed" if way.holds == "broken" else "nothing_delivered"
    return "breaks_when_merged" if course.merges else "merge_conflicts"


@given(COURSES.filter(lambda courses: len(courses) == 1), st.booleans())
def test_one_that_is_the_whole_is_judged_once(given: list[Course], whole: bool) -> None:
    """E-8 Merge Branch Restriction: a single sub-task is neither merged nor checked again."""
    ran = run(given, whole=whole)
    assert not any(key.endswith(("/merge", "/check")) for key in ran.engine.keys)
    integration = ran.script.validated[0].integration
    assert integration.parts == (integration.facts,)
    assert (integration.tree is not None) == walk(given[0]).deliverable
    assert ran.script.verdicts[0].facts.commit == integration.tree or integration.left_out


@given(STOPPED)
def test_complete_means_every_part(given: list[Course]) -> None:
    """R-8 Completion Validation Authority: one part that is not in it, and it is not COMPLETE."""
    ran = run(given)
    assume(ran.end is not None)
    assert ran.end is not None
    every = all(lands(given, n) for n in range(1, len(given) + 1))
    proved = given[-1].after in CLEAN if len(given) > 1 else walk(given[0]).holds == "good"
    assert (ran.end.status is TaskStatus.COMPLETE) == (every and proved)
    assert ran.script.delivered[0].verdict.status is ran.end.status


@given(STOPPED, CLAIMS)
def test_no_claim_changes_the_verdict(given: list[Course], claim: str) -> None:
    """R-1 Execution Authority Enforcement: with other claims the same facts give the same end."""
    told = [replace(c, attempts=tuple(replace(a, claim=claim) for a in c.attempts)) for c in given]
    first, second = run(given), run(told)
    assert first.end == second.end
    assert first.engine.keys == second.engine.keys
    assert first.script.validated == second.script.validated
    assert first.script.verdicts == second.script.verdicts


@given(st.integers(1, 4))
def test_where_nobody_is_called_nothing_is_tried_again(max_attempts: int) -> None:
    """R-17 Numerical Limits Enforcement: the Runner's own run of a check is one, red or not."""
    red = Course(attempts=(ScriptedAttempt(delivers="nothing"),) * 4)
    script = ScriptedRun([red], whole=True)
    engine = MemoryEngine(script.bodies())
    order = replace(ORDER, instruction="Run the tests", max_attempts=max_attempts)
    asyncio.run(carry_out(engine, order))
    assert script.attempts == []
    assert script.examined == [(f"{TICKET}-01", 1, Phase.QA)]


@given(COURSES)
def test_the_result_of_each_worker_is_complete(given: list[Course]) -> None:
    """E-23 Execution Result Structure: valid JSON, all fields, one of four words."""
    ran = run(given)
    reported = ran.script.reported[0]
    for number, (work, course) in enumerate(zip(reported.work, given, strict=True), start=1):
        numbers = work.attempts or (1,)
        kept = [ran.script.kept.read(Examined, kept_as(work.sub_task.ticket, n)) for n in numbers]
        result = work_result("run_001", work, kept, reported.integration)
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
        way, landed = walk(course), lands(given, number)
        failed = "quality_failed" if way.holds == "broken" else "partial"
        succeeded = landed and way.holds == "good"
        assert data["status"] == ("success" if succeeded else failed)
        assert bool(data["errors"]) != succeeded
        assert len(data["refusals"]) == len(numbers) - (way.holds == "good")


@pytest.mark.parametrize("how", ["stop", "outage", "ask"])
def test_a_failure_comes_out_as_it_was(how: Failing) -> None:
    """What a body failed with is what the run is stopped by, as from any engine."""
    attempt = ScriptedAttempt(fails_in="attempt", fails_with=how)
    ran = run([Course(attempts=(attempt,) * MAX_ATTEMPTS)])
    assert ran.stopped is not None
    next_steps = {"stop": "stop", "outage": "retry", "ask": "ask"}
    assert ran.stopped.original().next_step == next_steps[how]
    assert ran.stopped.failure.error().what() == ran.stopped.original().what()
