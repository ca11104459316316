"""What runs on trees that nobody delivered show against the checks; each finding on both sides."""

import pytest
from msgspec.structs import replace

from pm_orchestrator.domain.judging.gate import GateVerdict
from pm_orchestrator.gates.compare.purpose import Purpose
from pm_orchestrator.gates.cross.cross_runs import find_toothless
from pm_orchestrator.gates.cross.crossing import Changed, Crossing, CrossRun

ADD, GREET, DIV = "tests/t.py::test_add", "tests/t.py::test_greet", "tests/t.py::test_div"
TEXT = (
    "def test_add():\n    assert add(1, 2) == 3\n\n"
    "def test_greet():\n    assert greet() == 'Hello'\n\n"
    "def test_div():\n    assert div(1, 2) == 0.5\n"
)
ADDING, CHANGING = "Add a function mul", "Change greet to be polite"
REPAIRING = "Fix div"


def ran(*passed: str, failed: tuple[str, ...] = ()) -> CrossRun:
    verdict = GateVerdict.FAIL if failed else GateVerdict.PASS
    return CrossRun(
        verdict=verdict, passed=frozenset(passed), failed=frozenset(failed), by_test=True
    )


def silent(verdict: GateVerdict, count: int | None = None) -> CrossRun:
    return CrossRun(verdict=verdict, count=count)


def found(
    instruction: str, crossing: Crossing, added: str = "", *, product: bool = True
) -> list[str]:
    changed = Changed(before={"tests/t.py": TEXT}, added=added, product=product)
    return [d.kind for d in find_toothless(crossing, changed, Purpose(instruction))]


GREEN = ran(ADD, GREET)


def test_old_checks_that_hold_are_no_finding() -> None:
    assert found(ADDING, Crossing(delivered=GREEN, old_checks=GREEN)) == []
    more = ran(ADD, GREET, "tests/t.py::test_mul")
    assert found(ADDING, Crossing(delivered=more, old_checks=GREEN)) == []


def test_too_little_coverage_is_no_test_that_fails() -> None:
    too_little = replace(GREEN, verdict=GateVerdict.FAIL)
    more = ran(ADD, GREET, "tests/t.py::test_mul")
    crossing = Crossing(delivered=more, old_checks=too_little, base=too_little)
    assert found("Write more tests", crossing, product=False) == []
    # A base that was green did hold.
    held = replace(crossing, base=GREEN)
    assert found("Write more tests", held, product=False) == ["old_test_fails"]


def test_what_could_not_be_tried_is_said() -> None:
    assert found(ADDING, Crossing(delivered=GREEN, old_checks=None)) == ["not_cross_run"]


@pytest.mark.parametrize(
    ("instruction", "kinds"),
    [
        (CHANGING, []),
        (ADDING, ["old_test_fails"]),
        ("Add a name to what greet says", []),
        ("Add a greeting to calc.py", ["old_test_fails"]),
        ("Change add to take strings", ["old_test_fails"]),
        (REPAIRING, ["old_test_fails"]),
        ("Make the program faster", ["old_test_fails"]),
    ],
)
def test_an_old_test_may_fail_only_where_it_was_asked_for(
    instruction: str, kinds: list[str]
) -> None:
    red = ran(ADD, failed=(GREET,))
    crossing = Crossing(delivered=GREEN, old_checks=red, base=GREEN, on_old_product=red)
    assert found(instruction, crossing) == kinds
    # A test that passes on either product has only stopped looking.
    bent = Crossing(delivered=GREEN, old_checks=red, base=GREEN, on_old_product=GREEN)
    assert found(instruction, bent) == ["old_test_fails"]


def test_a_repair_may_turn_a_test_round_where_it_says_to_what() -> None:
    red = ran(ADD, failed=(GREET,))
    crossing = Crossing(delivered=GREEN, old_checks=red, base=GREEN, on_old_product=red)
    fix = "Fix greet: it must say 'Hi'"
    assert found(fix, crossing, "assert greet() == 'Hi'") == []
    assert found(fix, crossing, "assert greet() == 'Ho'") == ["old_test_fails"]


def test_a_test_that_was_to_become_green_has_to_by_itself() -> None:
    now, red = ran(ADD, DIV), ran(ADD, failed=(DIV,))
    assert found(REPAIRING, Crossing(delivered=now, old_checks=red, base=red)) == ["old_test_fails"]
    assert found(REPAIRING, Crossing(delivered=now, old_checks=now)) == []
    wrong = "The expectation of test_div is wrong"
    crossing = Crossing(delivered=now, old_checks=red, base=red)
    assert found(wrong, crossing, product=False) == []
    assert found(wrong, crossing) == ["old_test_fails"]


def test_a_failure_that_is_left_alone_is_nobodys() -> None:
    red = ran(ADD, failed=(DIV,))
    assert found(ADDING, Crossing(delivered=red, old_checks=red, base=red)) == []


def test_gates_that_name_no_test_are_taken_by_their_end() -> None:
    green, red = silent(GateVerdict.PASS), silent(GateVerdict.FAIL)
    nothing = silent(GateVerdict.COULD_NOT_RUN)
    assert found(ADDING, Crossing(delivered=green, old_checks=red, base=red)) == ["old_test_fails"]
    assert found(ADDING, Crossing(delivered=green, old_checks=green)) == []
    assert found(ADDING, Crossing(delivered=green, old_checks=nothing, base=nothing)) == []
    assert found(ADDING, Crossing(delivered=green, old_checks=nothing, base=green)) == [
        "old_test_fails"
    ]


def test_tests_that_are_not_run_any_more() -> None:
    crossing = Crossing(delivered=ran(ADD), old_checks=GREEN)
    assert found(ADDING, crossing) == ["test_deleted"]
    assert found("Remove test_greet", crossing) == []
    assert found("Remove test_add", crossing) == ["test_deleted"]
    other = ran(ADD, "tests/t.py::test_hello")
    instead = Crossing(delivered=other, old_checks=GREEN, on_old_product=other)
    assert found(ADDING, instead) == []
    of_new = Crossing(delivered=other, old_checks=GREEN, on_old_product=ran(ADD))
    assert found(ADDING, of_new) == ["test_deleted"], (
        "a test of something new stands for no old one"
    )
    assert found(ADDING, of_new, product=False) == []
    moved = Crossing(delivered=ran(ADD, "tests/other.py::test_greet"), old_checks=GREEN)
    assert found(ADDING, moved) == []
    fewer = Crossing(delivered=silent(GateVerdict.PASS, 3), old_checks=silent(GateVerdict.PASS, 5))
    assert found(ADDING, fewer) == ["test_deleted"]
    unknown = Crossing(delivered=silent(GateVerdict.PASS), old_checks=GREEN)
    assert found(ADDING, unknown) == ["tests_not_reported"]


def test_a_gate_that_is_told_where_to_look_may_leave_the_rest() -> None:
    slow, old_slow = "tests/slow/s.py::test_all", "tests/t.py::test_greet"
    only_unit = "Let pytest take only tests/unit"
    left = Crossing(delivered=ran(ADD), old_checks=ran(ADD, slow))
    assert found(only_unit, left) == []
    assert found("Let pytest take only tests/slow", left) == ["test_deleted"]
    # One whose file was touched is not only left out.
    touched = Crossing(delivered=ran(ADD), old_checks=ran(ADD, old_slow))
    assert found(only_unit, touched) == ["test_deleted"]


def test_tests_in_place_of_others_have_to_notice_as_much() -> None:
    other = ran(ADD, "tests/t.py::test_true")
    crossing = Crossing(
        delivered=other,
        old_checks=GREEN,
        on_nothing=ran("tests/t.py::test_true", failed=(ADD,)),
        old_on_nothing=ran(failed=(ADD, GREET)),
    )
    assert found(ADDING, crossing) == ["test_deleted"]


def test_wanted_tests_have_to_notice_that_the_change_is_missing() -> None:
    now = ran(ADD, GREET, "tests/t.py::test_mul")
    asked = "Add a function mul, with tests"
    green = Crossing(delivered=now, old_checks=GREEN, on_old_product=now)
    red = Crossing(delivered=now, old_checks=GREEN, on_old_product=ran(failed=(ADD,)))
    assert found(asked, green) == ["tests_green_before"]
    assert found(asked, red) == []
    assert found(ADDING, green) == []


def test_tests_that_pass_without_a_product() -> None:
    hollow = Crossing(
        delivered=GREEN,
        old_checks=GREEN,
        on_nothing=ran(ADD, failed=(GREET,)),
        old_on_nothing=ran(failed=(ADD, GREET)),
    )
    assert found(ADDING, hollow) == ["test_emptied"]
    always = Crossing(
        delivered=GREEN,
        old_checks=GREEN,
        on_nothing=ran(ADD, failed=(GREET,)),
        old_on_nothing=ran(ADD, failed=(GREET,)),
    )
    assert found(ADDING, always) == []


def test_wanted_tests_alone_have_to_need_the_product() -> None:
    new = "tests/t.py::test_more"
    now = ran(ADD, GREET, new)
    blind = Crossing(delivered=now, old_checks=GREEN, on_nothing=ran(new, failed=(ADD, GREET)))
    sees = Crossing(delivered=now, old_checks=GREEN, on_nothing=ran(failed=(ADD, GREET, new)))
    assert found("Add tests for greet", blind, product=False) == ["test_emptied"]
    assert found("Add tests for greet", sees, product=False) == []


def test_what_is_called_by_its_new_name_has_to_hold_as_it_was() -> None:
    red = ran(ADD, failed=(GREET,))
    asked = "Rename greet to hello"
    crossing = Crossing(
        delivered=GREEN, old_checks=red, base=GREEN, on_old_product=ran(failed=(ADD, GREET))
    )
    assert found(asked, crossing) == [], "under its old name it cannot hold"
    assert found(asked, replace(crossing, called_anew=True)) == ["old_test_fails"]


NEW = "tests/t.py::test_new"
OTHER = "tests/t.py::test_other"


@pytest.mark.parametrize(
    ("old", "anything", "errors", "careless"),
    [
        (ran(ADD, GREET), ran(NEW, OTHER), ran(NEW, OTHER), [NEW, OTHER]),
        (ran(ADD, GREET), ran(NEW), ran(NEW), []),
        (ran(ADD, GREET), ran(NEW, OTHER), ran(OTHER), []),
        (ran(ADD, failed=(GREET,)), ran(GREET, NEW), ran(GREET, NEW), [GREET]),
        (ran(ADD, GREET), ran(ADD, GREET), ran(ADD, GREET), []),
        (ran(ADD, GREET), None, None, []),
    ],
    ids=["all of the new", "one is good", "one wants no error", "rewritten", "old", "not tried"],
)
def test_tests_that_hold_whatever_the_product_does(
    old: CrossRun, anything: CrossRun | None, errors: CrossRun | None, careless: list[str]
) -> None:
    crossing = Crossing(
        delivered=ran(ADD, GREET, NEW, OTHER),
        old_checks=old,
        on_old_product=ran(failed=(GREET, NEW, OTHER)),
        on_anything=anything,
        on_errors=errors,
    )
    changed = Changed(before={"tests/t.py": TEXT}, added="", product=True)
    findings = find_toothless(crossing, changed, Purpose("Let greet say hello"))
    assert [d.detail for d in findings if d.kind == "test_holds_anyway"] == careless


def test_a_false_test_has_to_fail() -> None:
    name = "c123"
    green = Crossing(
        delivered=GREEN, old_checks=GREEN, canary=name, on_nothing=ran("tests/test_c123.py::c123")
    )
    red = Crossing(
        delivered=GREEN,
        old_checks=GREEN,
        canary=name,
        on_nothing=ran(failed=("tests/test_c123.py::c123",)),
    )
    assert "false_test_passes" in found(ADDING, green)
    assert found(ADDING, red) == []


def test_a_test_of_what_was_taken_away_may_go_with_it() -> None:
    gone = Crossing(delivered=ran(ADD), old_checks=ran(ADD, failed=(GREET,)), base=GREEN)
    assert found("Remove greet and its tests", gone) == []
    assert found("Remove div and its tests", gone) == ["old_test_fails"]
    known = Crossing(delivered=ran(ADD), old_checks=ran(ADD, failed=(DIV,)), base=None)
    assert found("Mark test_div as an expected failure", known, product=False) == []
    assert found("Mark test_add as an expected failure", known, product=False) == ["old_test_fails"]


def test_a_gate_that_names_no_test_may_lose_some_with_what_they_tested() -> None:
    green, red = silent(GateVerdict.PASS), silent(GateVerdict.FAIL)
    crossing = Crossing(delivered=green, old_checks=red, base=green)
    for only_gone, kinds in ((True, []), (False, ["old_test_fails"])):
        changed = Changed(
            before={"tests/greet.sh": "greet"}, added="", product=True, only_gone=only_gone
        )
        findings = find_toothless(crossing, changed, Purpose("Remove greet.sh with its tests"))
        assert [finding.kind for finding in findings] == kinds


def test_only_a_test_that_was_rewritten_may_fail_as_it_was() -> None:
    red = ran(ADD, failed=(GREET,))
    crossing = Crossing(delivered=GREEN, old_checks=red, base=GREEN, on_old_product=red)
    elsewhere = Changed(before={"tests/other.py": "greet"}, added="", product=True)
    findings = find_toothless(crossing, elsewhere, Purpose(CHANGING))
    assert [finding.kind for finding in findings] == ["old_test_fails"]
    # A whole file that could not be loaded stands for its tests.
    unloaded = ran(failed=("tests/t.py",))
    crossing = Crossing(delivered=GREEN, old_checks=unloaded, base=GREEN, on_old_product=unloaded)
    assert found(CHANGING, crossing) == []


@pytest.mark.parametrize(("tests", "kinds"), [(True, []), (False, ["old_test_fails"])])
def test_settings_alone_rewrite_no_test(tests: bool, kinds: list[str]) -> None:
    green, red = silent(GateVerdict.PASS), silent(GateVerdict.FAIL)
    crossing = Crossing(delivered=green, old_checks=red, base=green, on_old_product=red)
    changed = Changed(before={"tests/t.py": TEXT}, added="", product=True, tests=tests)
    findings = find_toothless(crossing, changed, Purpose(CHANGING))
    assert [finding.kind for finding in findings] == kinds


def test_a_mark_of_a_known_fault_goes_with_the_fault() -> None:
    marked = f"@pytest.mark.xfail(strict=True)\n{TEXT}"
    crossing = Crossing(
        delivered=ran(ADD, GREET, DIV),
        old_checks=ran(ADD, GREET, failed=(DIV,)),
        base=ran(ADD, GREET),
    )

    def kinds(text: str, crossing: Crossing) -> list[str]:
        changed = Changed(before={"tests/t.py": text}, added="", product=True)
        return [d.kind for d in find_toothless(crossing, changed, Purpose(REPAIRING))]

    assert kinds(marked, crossing) == []
    assert kinds(TEXT, crossing) == ["old_test_fails"]
    # What held before has no such excuse.
    assert kinds(marked, replace(crossing, base=ran(ADD, GREET, DIV))) == ["old_test_fails"]


def test_what_is_skipped_elsewhere_is_run_here() -> None:
    crossing = Crossing(delivered=ran(ADD), old_checks=GREEN)
    assert found("Skip test_greet, it is flaky", crossing, product=False) == []
    elsewhere = "test_greet is flaky on Windows. Skip it there."
    assert found(elsewhere, crossing, product=False) == ["test_deleted"]


def test_new_tests_have_to_hold_on_what_is_delivered() -> None:
    more = ran(ADD, GREET, DIV)
    crossing = Crossing(delivered=more, old_checks=GREEN, as_delivered=more)
    assert found("div should round, with a test", crossing, product=False) == []
    ignored = replace(crossing, as_delivered=ran(ADD, GREET, failed=(DIV,)))
    assert found("div should round, with a test", ignored, product=False) == [
        "only_ignored_changed"
    ]
