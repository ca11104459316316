"""Facts decide, and only facts: the verdict as a function with no claim in it."""

import inspect
from typing import Any, get_type_hints

import msgspec
from hypothesis import given, strategies as st

from pm_orchestrator.domain.judging.effect import Effect
from pm_orchestrator.domain.judging.gate import GateReport, GateResult, GateVerdict
from pm_orchestrator.domain.judging.outcome import Facts, FileChange, Reason, VerifiedOutcome
from pm_orchestrator.domain.record import from_json, to_json
from pm_orchestrator.domain.tasks.status import PRIORITY, TaskStatus
from pm_orchestrator.gates.judge.completion import EMPTY_BY_NATURE, decide

COMMIT = "c" * 40
names = st.sampled_from(["a.py", "b/c.md", "pkg/__init__.py", "日本.txt", "d"])
kinds = st.sampled_from(["created", "modified", "deleted", "renamed"])
changes = st.builds(
    FileChange,
    path=names,
    kind=kinds,
    size=st.integers(0, 3),
)
results = st.builds(
    GateResult,
    kind=st.sampled_from(["lint", "test"]),
    verdict=st.sampled_from(list(GateVerdict)),
    output=st.text(max_size=5),
    reason_key=st.sampled_from([None, "gate_timed_out", "gate_ran_no_test"]),
)
reports = st.builds(
    GateReport,
    commit=st.sampled_from([COMMIT, COMMIT, COMMIT, "d" * 40]),
    results=st.lists(results, max_size=3).map(tuple),
)


def few(strategy: st.SearchStrategy[str]) -> st.SearchStrategy[tuple[str, ...]]:
    return st.one_of(st.just(()), st.lists(strategy, max_size=3).map(tuple))


facts_of_any_kind = st.builds(
    Facts,
    commit=st.sampled_from([COMMIT, COMMIT, COMMIT, None]),
    changes=st.lists(changes, max_size=3).map(tuple),
    expected_files=few(names),
    missing_files=few(names),
    gates=st.one_of(st.none(), reports, reports),
    missing_evidence=few(st.sampled_from(["merge", "gate_run"])),
    may_be_empty=few(names),
    altered_gates=few(st.just("Makefile")),
    answer_size=st.sampled_from([None, None, None, 0, 12]),
)
# Rare among the others, so made on purpose: everything there, everything in order.
whole_facts = st.builds(
    Facts,
    commit=st.just(COMMIT),
    changes=st.lists(
        st.builds(FileChange, path=names, kind=kinds, size=st.integers(1, 9)), min_size=1
    ).map(tuple),
    expected_files=few(names),
    missing_files=st.just(()),
    gates=st.builds(
        GateReport,
        commit=st.just(COMMIT),
        results=st.lists(
            st.builds(
                GateResult,
                kind=st.sampled_from(["lint", "test"]),
                verdict=st.sampled_from([GateVerdict.PASS, GateVerdict.ABSENT]),
                output=st.just(""),
            ),
            max_size=2,
        ).map(tuple),
    ),
)


@st.composite
def nearly_whole(draw: st.DrawFn) -> Facts:
    """Everything in order but for one thing, which may be anything."""
    name = draw(st.sampled_from(Facts.__struct_fields__))
    other = draw(facts_of_any_kind)
    return msgspec.structs.replace(draw(whole_facts), **{name: getattr(other, name)})


some_facts = st.one_of(facts_of_any_kind, whole_facts, nearly_whole())


def judged(verdict: GateVerdict) -> dict[str, Any]:
    result = GateResult(kind="test", verdict=verdict, output="")
    return {"gates": GateReport(commit=COMMIT, results=(result,))}


BLANK = FileChange(path="a.py", kind="created", size=3)
HOLLOW = FileChange(path="a.py", kind="created", size=0)
DEFECTS: tuple[dict[str, Any], ...] = (
    {"commit": None},
    {"changes": ()},
    {"gates": None},
    {"gates": GateReport(commit="e" * 40, results=())},
    judged(GateVerdict.FAIL),
    judged(GateVerdict.COULD_NOT_RUN),
    {"missing_evidence": ("merge",)},
    {"missing_files": ("a.py",)},
    {"altered_gates": ("Makefile",)},
    {"changes": (HOLLOW,), "expected_files": ("a.py",)},
    {"changes": (HOLLOW,), "expected_files": ()},
    {"changes": (BLANK,), "expected_files": ("a.py",), "blank_files": ("a.py",)},
    {"unmet": (Effect(kind="committed"),)},
    {"unsure": True, "commit": None, "changes": (), "answer_size": 12},
    {"answer_size": 0},
)
HARMLESS: tuple[dict[str, Any], ...] = (
    judged(GateVerdict.PASS),
    judged(GateVerdict.ABSENT),
    {"changes": (HOLLOW, FileChange(path="b.py", kind="created", size=1)), "expected_files": ()},
    {"changes": (HOLLOW,), "expected_files": ("a.py",), "may_be_empty": ("a.py",)},
    {
        "changes": (FileChange(path="a.py", kind="deleted", size=0),),
        "expected_files": ("a.py",),
    },
    {
        "changes": (FileChange(path="pkg/__init__.py", kind="created", size=0),),
        "expected_files": ("pkg/__init__.py",),
    },
    {"commit": None, "changes": (), "gates": None, "answer_size": 12},
)


def proved(facts: Facts) -> bool:
    """The rule, said once more and differently: every condition must hold."""
    empty = [
        c
        for c in facts.changes
        if c.path not in facts.may_be_empty
        and (not c.size or c.path in facts.blank_files)
        and c.kind != "deleted"
        and c.path.split("/")[-1] not in EMPTY_BY_NATURE
    ]
    all_empty = len(empty) == len(facts.changes) and facts.answer_size is None
    hollow = all_empty or any(c.path in facts.expected_files for c in empty)
    good = {GateVerdict.PASS, GateVerdict.ABSENT}
    judged = facts.gates is not None and (
        facts.gates.commit == facts.commit and all(r.verdict in good for r in facts.gates.results)
    )
    delivered = facts.commit is not None and bool(facts.changes)
    answered = facts.answer_size is not None and facts.answer_size > 0
    enough = answered if facts.answer_size is not None else delivered
    gates_fine = judged or (facts.answer_size is not None and not facts.changes)
    return (
        enough
        and gates_fine
        and not hollow
        and not facts.missing_files
        and not facts.missing_evidence
        and not facts.altered_gates
        and not facts.unmet
    )


@given(some_facts)
def test_complete_exactly_when_everything_is_proved(facts: Facts) -> None:
    """R-8 Completion Validation Authority: COMPLETE if and only if the Runner's facts prove it."""
    assert (decide(facts).status is TaskStatus.COMPLETE) == proved(facts)


def test_a_claim_is_not_an_argument() -> None:
    """R-8 Completion Validation Authority: what the executor says cannot be passed in at all."""
    assert list(inspect.signature(decide).parameters) == ["facts"]
    said = {"claim", "summary", "kind", "turns", "tokens", "status", "output"}
    assert said.isdisjoint(get_type_hints(Facts))


@given(whole_facts)
def test_what_is_not_known_never_completes(facts: Facts) -> None:
    """R-9 Fail-Safe Error Handling: take any one proof away and COMPLETE is gone."""
    assert decide(facts).status is TaskStatus.COMPLETE
    for defect in DEFECTS:
        outcome = decide(msgspec.structs.replace(facts, **defect))
        assert outcome.status is not TaskStatus.COMPLETE, defect


@given(whole_facts)
def test_honest_work_is_not_held_back(facts: Facts) -> None:
    """R-8 Completion Validation Authority: what proves the work is enough, in every form."""
    for other in HARMLESS:
        outcome = decide(msgspec.structs.replace(facts, **other))
        assert outcome.status is TaskStatus.COMPLETE, other


@given(some_facts)
def test_files_that_are_not_there_are_named(facts: Facts) -> None:
    """R-31 Verified Files Detection: no COMPLETE without a verified change, none with a gap."""
    outcome = decide(facts)
    if facts.missing_evidence:
        assert outcome.status is TaskStatus.NO_EVIDENCE
    elif facts.missing_files:
        assert outcome.status is TaskStatus.INCOMPLETE
        if outcome.reason_key == "files_missing":
            assert all(name in outcome.reason() for name in facts.missing_files)
    if outcome.status is TaskStatus.COMPLETE and facts.answer_size is None:
        assert facts.changes


@given(some_facts)
def test_every_verdict_can_be_read_out_and_read_back(facts: Facts) -> None:
    """R-8 Completion Validation Authority: the reason survives the disk, in both languages."""
    outcome = decide(facts)
    assert outcome.reason("en")
    assert outcome.reason("ja")
    assert outcome.reason("en") != outcome.reason("ja")
    assert from_json(VerifiedOutcome, to_json(outcome)) == outcome


parts = st.dictionaries(
    st.sampled_from(["t-01", "t-02", "t-03"]),
    st.just(Reason(key="nothing_changed")),
)


@given(some_facts, parts)
def test_parts_can_only_lower_the_whole(facts: Facts, parts: dict[str, Reason]) -> None:
    """R-8 Completion Validation Authority: a run is COMPLETE when the whole and every part is."""
    whole = decide(facts)
    verdict = decide(msgspec.structs.replace(facts, left_out=parts))
    assert PRIORITY.index(verdict.status) <= PRIORITY.index(whole.status)
    complete = whole.status is TaskStatus.COMPLETE and not parts
    assert (verdict.status is TaskStatus.COMPLETE) == complete
    if parts and not facts.missing_evidence:
        assert next(iter(parts)) in verdict.reason()
