"""For one truth on disk no added, edited or removed check makes the work look better."""

from hypothesis import given, strategies as st

from pm_orchestrator.domain.judging.gate import GateVerdict
from pm_orchestrator.gates.compare.purpose import Purpose
from pm_orchestrator.gates.cross.cross_runs import find_toothless
from pm_orchestrator.gates.cross.crossing import Changed, Crossing, CrossRun

ABILITIES = ("add", "div", "greet", "mul")
Checks = dict[str, str | None]
"""What each test needs to pass; None for one that looks at nothing."""

checks = st.dictionaries(
    st.sampled_from([f"tests/t.py::test_{name}" for name in (*ABILITIES, "extra")]),
    st.one_of(st.sampled_from(ABILITIES), st.none()),
)
abilities = st.frozensets(st.sampled_from(ABILITIES))


def run(tests: Checks, able: frozenset[str]) -> CrossRun:
    passed = frozenset(test for test, needs in tests.items() if needs is None or needs in able)
    failed = frozenset(tests) - passed
    verdict = GateVerdict.FAIL if failed else GateVerdict.PASS
    if not tests:
        verdict = GateVerdict.COULD_NOT_RUN
    return CrossRun(verdict=verdict, passed=passed, failed=failed, by_test=True)


def crossed(old: Checks, new: Checks, before: frozenset[str], after: frozenset[str]) -> Crossing:
    nothing = frozenset[str]()
    return Crossing(
        delivered=run(new, after),
        old_checks=run(old, after),
        base=run(old, before),
        on_old_product=run(new, before),
        on_nothing=run(new, nothing),
        old_on_nothing=run(old, nothing),
    )


def objected(crossing: Crossing, instruction: str) -> bool:
    text = "\n".join(f"def test_{name}():\n    assert {name}()" for name in ABILITIES)
    changed = Changed(before={"tests/t.py": text}, added="", product=True)
    return bool(find_toothless(crossing, changed, Purpose(instruction)))


@given(old=checks, new=checks, before=abilities, after=abilities)
def test_edited_checks_hide_no_failure_of_the_old_ones(
    old: Checks, new: Checks, before: frozenset[str], after: frozenset[str]
) -> None:
    honest = run(old, after)
    crossing = crossed(old, new, before, after)
    hidden = honest.failed - crossing.delivered.failed
    if hidden:
        assert objected(crossing, "Add a function mul")


@given(old=checks, before=abilities, after=abilities)
def test_checks_that_were_left_alone_are_never_objected_to(
    old: Checks, before: frozenset[str], after: frozenset[str]
) -> None:
    assert not objected(crossed(old, old, before, after), "Add a function mul")


@given(old=checks, new=checks, able=abilities)
def test_added_checks_are_never_objected_to(old: Checks, new: Checks, able: frozenset[str]) -> None:
    assert not objected(crossed(old, {**new, **old}, able, able), "Add a function mul")


@given(old=checks, gone=st.data(), able=st.just(frozenset(ABILITIES)))
def test_a_test_that_went_or_went_blind_is_objected_to(
    old: Checks, gone: st.DataObject, able: frozenset[str]
) -> None:
    seeing = sorted(test for test, needs in old.items() if needs is not None)
    if not seeing:
        return
    one = gone.draw(st.sampled_from(seeing))
    fewer = {test: needs for test, needs in old.items() if test != one}
    if fewer:
        assert objected(crossed(old, fewer, able, able), "Add a function mul")
    assert objected(crossed(old, {**old, one: None}, able, able), "Add a function mul")
    instead: Checks = {**fewer, "tests/t.py::test_instead": None}
    assert objected(crossed(old, instead, able, able), "Add a function mul")
