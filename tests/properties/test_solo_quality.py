"""The rules of QA over generated facts: what raises a status, what can never do so."""

from typing import get_args

import pytest
from hypothesis import given, strategies as st
from msgspec.structs import replace

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.judging.gate import Gate, GateKind, GateReport, GateResult, GateVerdict
from pm_orchestrator.domain.judging.outcome import Facts, FileChange
from pm_orchestrator.domain.judging.quality import BaseComparison, Dilution, DilutionKind
from pm_orchestrator.domain.setup.settings import TaskLimitSettings
from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.domain.tasks.task import LimitViolation
from pm_orchestrator.gates.compare.red_base import compare_with_base
from pm_orchestrator.gates.detect.detection import applicable
from pm_orchestrator.gates.judge.acceptable import (
    ASKED,
    DILUTION,
    LIMITS,
    PARTS,
    SECRETS,
    TIME,
    TREE,
)
from pm_orchestrator.gates.judge.completion import (
    accepted_by_person,
    decide,
    not_proved,
    open_to_acceptance,
)
from pm_orchestrator.gates.judge.hard_limits import (
    PROXIES,
    MeasuredUse,
    over_budget,
    over_time,
    overruns,
    tokens_used,
    used_together,
)
from pm_orchestrator.gates.judge.required_tests import is_code, requires_tests
from pm_orchestrator.gates.weaker.dilution import Trees, find_dilution
from pm_orchestrator.runner.tasks.accept import granted, with_acceptance

COMMIT = "c" * 64
NOW = "2026-01-01T00:00:00.000Z"
EVERYTHING = ("lint", "test", "build", ASKED, DILUTION, LIMITS, PARTS, SECRETS, TIME, TREE)

paths = st.sampled_from(["a.py", "b/c.rs", "README.md", "docs/x.rst", "pyproject.toml", "x.yml"])
changes = st.builds(
    FileChange,
    path=paths,
    kind=st.sampled_from(["created", "modified", "deleted"]),
    size=st.integers(1, 9),
)
failures = st.lists(st.sampled_from(["t::a", "t::b"]), max_size=2).map(tuple)
comparisons = st.builds(
    BaseComparison,
    kind=st.sampled_from(["lint", "test"]),
    new_failures=failures,
    unfixed=failures,
    told_apart=st.booleans(),
)
results = st.builds(
    GateResult,
    kind=st.sampled_from(["lint", "test"]),
    verdict=st.sampled_from(list(GateVerdict)),
    output=st.just(""),
)
dilutions = st.builds(
    Dilution,
    kind=st.sampled_from(list(get_args(DilutionKind))),
    path=paths,
    detail=st.just("x"),
)
violations = st.builds(
    LimitViolation,
    limit_type=st.sampled_from(["files", "tests", "tokens"]),
    limit_value=st.just(5),
    actual_value=st.just(6),
    timestamp=st.just(NOW),
    resolution_required=st.just(True),
)


def some(strategy: st.SearchStrategy[object]) -> st.SearchStrategy[tuple[object, ...]]:
    return st.one_of(st.just(()), st.lists(strategy, min_size=1, max_size=2).map(tuple))


facts_of_work = st.builds(
    Facts,
    commit=st.just(COMMIT),
    changes=st.lists(changes, min_size=1, max_size=3).map(tuple),
    expected_files=st.just(()),
    missing_files=st.sampled_from([(), (), (), ("gone.py",)]),
    gates=st.builds(
        GateReport, commit=st.just(COMMIT), results=st.lists(results, max_size=2).map(tuple)
    ),
    missing_evidence=st.sampled_from([(), (), (), ("gate_test",)]),
    comparisons=some(comparisons),
    dilution=some(dilutions),
    violations=some(violations),
    gate_changes=st.sampled_from([(), (), ("a.py",)]),
)


@given(facts_of_work, st.lists(st.sampled_from(EVERYTHING), max_size=5))
def test_acceptance_settles_only_what_is_acceptable(facts: Facts, accepted: list[str]) -> None:
    """R-8 Acceptance: a person's word settles what it names, and is never taken for a proof."""
    first = decide(facts)
    accepted_facts = replace(facts, accepted=tuple(accepted))
    after = decide(accepted_facts)
    if facts.missing_evidence:
        assert after.status is TaskStatus.NO_EVIDENCE
    if after.status is TaskStatus.COMPLETE and first.status is not TaskStatus.COMPLETE:
        assert set(open_to_acceptance(facts)) <= set(accepted)
        assert after.reason_key == "accepted"
        assert set(accepted_by_person(accepted_facts)) == set(open_to_acceptance(facts))
        assert not_proved(accepted_facts) == not_proved(facts) != ()
    if first.status is TaskStatus.COMPLETE:
        assert after.status is TaskStatus.COMPLETE
        assert accepted_by_person(accepted_facts) == ()
        assert after.reason_key == first.reason_key


@given(facts_of_work)
def test_a_whole_acceptance_leaves_nothing_to_accept(facts: Facts) -> None:
    """R-8 Acceptance: accepting everything completes all work that there is evidence for."""
    waiting = open_to_acceptance(facts)
    if not waiting:
        with pytest.raises(PmError) as refused:
            granted("task-1", facts, None)
        assert refused.value.code == "E210"
        return
    after = with_acceptance(facts, granted("task-1", facts, None))
    assert open_to_acceptance(after) == ()
    assert decide(after).status is TaskStatus.COMPLETE
    with pytest.raises(PmError):
        granted("task-1", facts, "no-such-gate")


def good(**flaws: object) -> Facts:
    """Work that nothing speaks against, but for the given flaws."""
    facts = Facts(
        commit=COMMIT,
        changes=(FileChange(path="a.py", kind="modified", size=1),),
        expected_files=(),
        missing_files=(),
        gates=GateReport(commit=COMMIT, results=()),
    )
    return replace(facts, **flaws)


@given(
    st.sampled_from(["lint", "test"]),
    st.one_of(st.none(), comparisons),
    st.sampled_from([(), EVERYTHING]),
)
def test_a_red_gate_stops_the_work(
    kind: GateKind, beside: BaseComparison | None, accepted: tuple[str, ...]
) -> None:
    """R-8 Completion Validation: a red gate that is not settled ends no work."""
    red = GateResult(kind=kind, verdict=GateVerdict.FAIL, output="")
    report = GateReport(commit=COMMIT, results=(red,))
    compared = () if beside is None else (replace(beside, kind=kind),)
    outcome = decide(good(gates=report, comparisons=compared, accepted=accepted))
    settled = beside is not None and beside.settled
    assert (outcome.status is TaskStatus.COMPLETE) == (settled or bool(accepted))
    if not settled and accepted:
        assert outcome.reason_key == "accepted"


FLAWS = {
    DILUTION: some(dilutions).map(lambda found: {"dilution": found}),
    LIMITS: some(violations).map(lambda found: {"violations": found}),
    TREE: st.sampled_from([(), ("a.py",)]).map(lambda found: {"gate_changes": found}),
}


@given(st.sampled_from(sorted(FLAWS)), st.data(), st.lists(st.sampled_from(EVERYTHING)))
def test_one_flaw_needs_its_own_acceptance(
    name: str, data: st.DataObject, accepted: list[str]
) -> None:
    """R-8 Acceptance: each flaw holds the work back until a person accepts that very flaw."""
    flaw = data.draw(FLAWS[name])
    facts = good(**flaw)
    flawed = any(flaw.values())
    assert open_to_acceptance(facts) == ((name,) if flawed else ())
    status = decide(replace(facts, accepted=tuple(accepted))).status
    assert (status is TaskStatus.COMPLETE) == (not flawed or name in accepted)
    unproved = replace(facts, missing_evidence=("execute",))
    assert open_to_acceptance(unproved) == ()
    assert decide(replace(unproved, accepted=EVERYTHING)).status is TaskStatus.NO_EVIDENCE


GATES = (
    Gate(kind="lint", argv=("make", "lint"), source="Makefile"),
    Gate(kind="test", argv=("make", "test"), source="Makefile"),
)


@given(st.lists(changes, min_size=1, max_size=4).map(tuple), st.sampled_from(list(GateVerdict)))
def test_code_needs_its_tests(done: tuple[FileChange, ...], verdict: GateVerdict) -> None:
    """R-11 Test-Driven Development Enforcement: code is complete only after the test gate."""
    paths = [change.path for change in done]
    required = requires_tests([gate.kind for gate in GATES], paths)
    assert required == any(is_code(path) for path in paths)
    assert not requires_tests(["lint"], paths)
    if not required:
        return
    assert GATES[1] in applicable(GATES, done)
    report = GateReport(
        commit=COMMIT, results=(GateResult(kind="test", verdict=verdict, output=""),)
    )
    facts = Facts(commit=COMMIT, changes=done, expected_files=(), missing_files=(), gates=report)
    complete = decide(facts).status is TaskStatus.COMPLETE
    assert complete == (verdict in {GateVerdict.PASS, GateVerdict.ABSENT})


@given(
    st.builds(TaskLimitSettings, files=st.integers(1, 20), tests=st.integers(1, 50)),
    st.integers(0, 30),
    st.integers(0, 70),
)
def test_an_overrun_is_seen_and_waits(limits: TaskLimitSettings, files: int, tests: int) -> None:
    """R-14 Task Granularity Enforcement: work over its limits waits for a person, kept whole."""
    done = tuple(FileChange(path=f"f{n}.py", kind="created", size=1) for n in range(files))
    found = overruns(limits.limits(), done, tests, NOW)
    over = {"files": files > limits.files, "tests": tests > limits.tests}
    assert {v.limit_type for v in found} == {name for name, is_over in over.items() if is_over}
    assert all(v.actual_value > v.limit_value for v in found)
    if not done:
        return
    report = GateReport(commit=COMMIT, results=())
    facts = Facts(
        commit=COMMIT,
        changes=done,
        expected_files=(),
        missing_files=(),
        gates=report,
        violations=found,
    )
    outcome = decide(facts)
    assert (outcome.status is TaskStatus.COMPLETE) == (not found)
    assert outcome.facts.changes == done


@given(some(violations), some(dilutions))
def test_no_limit_is_passed_over(found: tuple[object, ...], weaker: tuple[object, ...]) -> None:
    """R-17 Numerical Limits Enforcement: only its own acceptance settles an overrun."""
    facts = Facts(
        commit=COMMIT,
        changes=(FileChange(path="a.py", kind="modified", size=1),),
        expected_files=(),
        missing_files=(),
        gates=GateReport(commit=COMMIT, results=()),
        violations=tuple(v for v in found if isinstance(v, LimitViolation)),
        dilution=tuple(d for d in weaker if isinstance(d, Dilution)),
    )
    assert all(v.resolution_required for v in facts.violations)
    others = tuple(name for name in EVERYTHING if name != LIMITS)
    without = decide(replace(facts, accepted=others))
    assert (without.status is TaskStatus.COMPLETE) == (not facts.violations)
    assert decide(replace(facts, accepted=EVERYTHING)).status is TaskStatus.COMPLETE


measured = st.one_of(st.none(), st.integers(0, 10**7))


@given(
    st.builds(MeasuredUse, tokens=measured, characters=measured, turns=measured, seconds=measured),
    st.one_of(st.none(), st.integers(1, 10**6)),
)
def test_a_budget_holds_without_a_count(usage: MeasuredUse, budget: int | None) -> None:
    """R-20 Hard Limit Enforcement: a stand-in holds the limit; with none, the work stops."""
    first = next((m for m in PROXIES if getattr(usage, m) is not None), None)
    if budget is None:
        assert over_budget(usage, budget, NOW) == ()
    elif first is None:
        with pytest.raises(PmError) as stopped:
            over_budget(usage, budget, NOW)
        assert stopped.value.code == "E206"
    else:
        metric, used = tokens_used(usage)
        seen = (usage.characters or 0) * PROXIES["characters"] // 1000
        counted = getattr(usage, first) * PROXIES[first] // 1000
        assert used == max(counted, seen)
        assert metric == (first if counted >= seen else "characters")
        assert bool(over_budget(usage, budget, NOW)) == (used > budget)


@given(st.integers(0, 2_000), st.integers(1, 900), st.booleans())
def test_no_time_is_passed_over(taken: int, limit: int, stopped: bool) -> None:
    """R-17 Numerical Limits Enforcement: more time than allowed is a violation, stopped or not."""
    found = over_time(MeasuredUse(seconds=taken, stopped=stopped), limit, NOW)
    assert bool(found) == (stopped or taken > limit)
    assert all(v.actual_value > v.limit_value == limit for v in found)


@given(
    st.lists(st.builds(MeasuredUse, tokens=measured, characters=measured), min_size=1, max_size=4),
    st.integers(1, 10**6),
)
def test_what_is_used_adds_up(uses: list[MeasuredUse], budget: int) -> None:
    """R-17 Numerical Limits Enforcement: several runs of a task use as much as all of them."""
    used = used_together(uses)
    for metric in ("tokens", "characters"):
        known = [amount for use in uses if (amount := getattr(use, metric)) is not None]
        assert getattr(used, metric) == (sum(known) if known else None)
    if used.tokens is not None or used.characters is not None:
        assert bool(over_budget(used, budget, NOW)) == (tokens_used(used)[1] > budget)


names = st.lists(st.sampled_from([f"test_{c}" for c in "abcdef"]), unique=True, max_size=6)


def _pytest(failed: list[str]) -> GateResult:
    lines = [f"FAILED tests/test_x.py::{name} - boom" for name in failed]
    summary = f"==== {len(failed)} failed, 1 passed in 0.1s ====" if failed else "1 passed in 0.1s"
    verdict = GateVerdict.FAIL if failed else GateVerdict.PASS
    return GateResult(kind="test", verdict=verdict, output="\n".join([*lines, summary]))


@given(names, names.filter(bool), st.sampled_from(["Add x", "Fix test_a", "Fix the failing tests"]))
def test_only_the_difference_counts(base: list[str], now: list[str], instruction: str) -> None:
    """R-9 Red Base: what failed before and is nobody's task counts neither for nor against."""
    comparison = compare_with_base(_pytest(base), _pytest(now), instruction)
    new = {f"tests/test_x.py::{n}" for n in now if n not in base}
    assert set(comparison.new_failures) == new
    if not new and base:
        named = {"Add x": [], "Fix test_a": ["test_a"]}.get(instruction, base)
        left = {f"tests/test_x.py::{n}" for n in now if n in named}
        assert set(comparison.unfixed) == left
        assert comparison.settled == (not left)


@given(names, names)
def test_a_test_that_is_there_is_never_called_deleted(old: list[str], new: list[str]) -> None:
    """R-11 Dilution: a test is deleted exactly when it is nowhere any more."""

    def text(wanted: list[str]) -> str:
        return "".join(f"def {n}():\n    assert {n[-1]}(1) == {ord(n[-1])}\n" for n in wanted)

    trees = Trees(before={"tests/test_x.py": text(old)}, after={"tests/test_x.py": text(new)})
    change = FileChange(path="tests/test_x.py", kind="modified", size=1)
    found = find_dilution(trees, (change,), GATES, "Add a function")
    gone = {d.detail for d in found}
    assert gone <= set(old) - set(new)
    if not set(new) - set(old):
        assert gone == set(old) - set(new)


@given(facts_of_work, st.integers(1, 99), st.booleans())
def test_words_raise_no_status(facts: Facts, size: int, idle: bool) -> None:
    """R-8 Acceptance: what was said is something to accept, and no proof of anything."""
    if idle:
        facts = replace(facts, commit=None, changes=())
    spoken = replace(facts, words=size)
    assert decide(spoken).status is decide(facts).status
    if idle:
        assert open_to_acceptance(facts) == ()
        assert decide(replace(facts, accepted=EVERYTHING)).status is not TaskStatus.COMPLETE
        assert bool(open_to_acceptance(spoken)) == (not facts.missing_evidence)
