"""Old failures are told from new ones, for the outputs of common tools."""

import pytest

from pm_orchestrator.domain.judging.gate import GateKind, GateResult, GateVerdict
from pm_orchestrator.domain.judging.quality import BaseComparison
from pm_orchestrator.gates.compare.failures import failures_in
from pm_orchestrator.gates.compare.red_base import compare_with_base, is_named


def gate(
    output: str, verdict: GateVerdict = GateVerdict.FAIL, kind: GateKind = "test"
) -> GateResult:
    return GateResult(kind=kind, verdict=verdict, output=output)


def compare(base: str, now: str, instruction: str = "Add a README") -> BaseComparison:
    return compare_with_base(gate(base), gate(now), instruction)


PYTEST = """\
____ test_div ____
E   ZeroDivisionError
=========== short test summary info ===========
FAILED tests/test_calc.py::test_div - ZeroDivisionError: division by zero
FAILED tests/test_calc.py::TestX::test_mod[1-2] - assert 1 == 2
========= 2 failed, 3 passed in 0.12s =========
"""
UNITTEST = """\
F.
======================================================================
FAIL: test_div (tests.test_calc.CalcTest.test_div)
----------------------------------------------------------------------
AssertionError: 1 != 2

Ran 2 tests in 0.001s

FAILED (failures=1)
make: *** [Makefile:2: test] Error 1
"""
GO = "--- FAIL: TestDiv (0.00s)\n    calc_test.go:5: no\nFAIL\nFAIL\texample/calc\t0.002s\n"
CARGO = (
    "test tests::div ... FAILED\ntest tests::add ... ok\n\n"
    "test result: FAILED. 1 passed; 1 failed; 0 ignored; finished in 0.00s\n"
)
JEST = (
    "FAIL src/calc.test.js\n"
    "  ● calc › divides\n"
    "\n"
    "    expect(1)\n"
    "\n"
    "Tests:       1 failed, 2 passed, 3 total\n"
)
VITEST = (
    " FAIL  src/calc.test.ts > calc > divides\n"
    "AssertionError\n"
    "\n"
    "      Tests  1 failed | 2 passed (3)\n"
)
MOCHA = "  2 passing (4ms)\n  1 failing\n\n  1) calc divides:\n     AssertionError\n"
TAP = "TAP version 13\nok 1 - adds\nnot ok 2 - divides\n1..2\n# tests 2\n# fail 1\n"
RUFF = "calc.py:1:8: F401 `os` imported but unused\nFound 1 error.\n"
MYPY = (
    "calc.py:3: error: Incompatible types  [assignment]\n"
    "Found 1 error in 1 file (checked 2 source files)\n"
)
ESLINT = (
    "/p/src/a.js\n  3:5  error  'x' is not defined  no-undef\n\n✖ 1 problem (1 error, 0 warnings)\n"
)
ALL = {
    "pytest": (PYTEST, PYTEST.replace("test_div", "test_new")),
    "unittest": (UNITTEST, UNITTEST.replace("test_div", "test_new")),
    "go": (GO, GO.replace("TestDiv", "TestNew")),
    "cargo": (CARGO, CARGO.replace("::div", "::new")),
    "jest": (JEST, JEST.replace("divides", "is new")),
    "vitest": (VITEST, VITEST.replace("divides", "is new")),
    "mocha": (MOCHA, MOCHA.replace("divides", "is new")),
    "tap": (TAP, TAP.replace("divides", "is new")),
    "ruff": (RUFF, RUFF.replace("calc.py", "new.py")),
    "mypy": (MYPY, MYPY.replace("Incompatible types", "Missing return")),
    "eslint": (ESLINT, ESLINT.replace("'x'", "'y'")),
}


@pytest.mark.parametrize("tool", ALL)
def test_the_same_failures_are_settled(tool: str) -> None:
    base, _ = ALL[tool]
    # Times and positions move when nothing else does.
    now = base.replace("0.12s", "3.4s").replace("0.00s", "1.5s").replace(":1:8:", ":9:2:")
    comparison = compare(base, now)
    assert comparison.settled, comparison
    assert comparison.left


@pytest.mark.parametrize("tool", ALL)
def test_a_new_failure_is_not(tool: str) -> None:
    base, now = ALL[tool]
    comparison = compare(base, now)
    assert comparison.told_apart
    assert comparison.new_failures
    assert not comparison.settled


def test_one_more_of_the_same_complaint_is_new() -> None:
    now = RUFF.replace("Found 1 error", "Found 2 errors").replace("calc.py", "calc.py", 1)
    assert compare(RUFF, RUFF.splitlines()[0] + "\n" + now).new_failures


def test_fewer_failures_are_settled() -> None:
    now = "\n".join(PYTEST.splitlines()[:4]) + "\n========= 1 failed, 4 passed in 0.12s =========\n"
    assert compare(PYTEST, now).settled


@pytest.mark.parametrize(
    ("base", "now"),
    [
        ("it broke", "it broke"),  # nothing is named
        (PYTEST, "Segmentation fault"),
        (PYTEST, PYTEST.replace("2 failed", "3 failed")),  # one of them is not named
        (PYTEST, PYTEST + "!!!!! stopping after 2 failures !!!!!\n"),
        (PYTEST, "[… 9000 characters left out]\n" + PYTEST),
        (CARGO, CARGO + "error: could not compile `x`\n"),
        ("no names here", PYTEST),
    ],
)
def test_what_cannot_be_told_apart_needs_a_person(base: str, now: str) -> None:
    comparison = compare(base, now)
    assert not comparison.told_apart
    assert not comparison.settled


def test_after_a_green_base_everything_is_new() -> None:
    comparison = compare_with_base(gate("ok", GateVerdict.PASS), gate("who knows"), "Add x")
    assert comparison.new_failures


def test_a_base_that_could_not_run_tells_nothing() -> None:
    comparison = compare_with_base(gate("", GateVerdict.COULD_NOT_RUN), gate(PYTEST), "Add x")
    assert not comparison.told_apart


def test_paths_of_the_copy_do_not_matter() -> None:
    base, now = gate(f"/tmp/copy/{RUFF}"), gate(f"/home/me/p/{RUFF}")
    comparison = compare_with_base(base, now, "x", project="/home/me/p", base_project="/tmp/copy")
    assert comparison.settled


@pytest.mark.parametrize(
    ("instruction", "named"),
    [
        ("Fix test_div", True),
        ("fix the failing tests", True),
        ("Make all tests pass", True),
        ("Repair tests/test_calc.py", True),
        ("test_div を修正してください", True),
        ("テストを直してください", True),
        ("Add a README", False),
        ("Document test_div", False),
        ("Fix the typo in the title", False),
        ("Fix test_other", False),
    ],
)
def test_which_failures_a_task_names(instruction: str, named: bool) -> None:
    assert is_named("tests/test_calc.py::test_div", instruction) is named


def test_a_named_failure_must_be_gone() -> None:
    assert compare(PYTEST, PYTEST, "Fix test_div").unfixed == ("tests/test_calc.py::test_div",)
    assert compare(UNITTEST, UNITTEST, "Fix test_div").unfixed


def test_a_missed_threshold_is_a_failure_of_its_own() -> None:
    now = PYTEST + "FAIL Required test coverage of 90% not reached. Total coverage: 10%\n"
    assert "coverage threshold" in compare(PYTEST, now).new_failures
    assert failures_in("all good").names == {}


@pytest.mark.parametrize(
    "instruction",
    [
        "The test of the calculator fails since yesterday, please fix it",
        "make test is red, please repair it",
        "電卓のテストが落ちます。直してください。",
        "not ok - TestX::test_mod[1-2]\n\nplease fix",
    ],
)
def test_a_repair_of_red_tests_makes_one_of_them_green(instruction: str) -> None:
    assert compare(PYTEST, PYTEST, instruction).unfixed


@pytest.mark.parametrize(
    "instruction",
    [
        "Fix the greeting; ignore the failing tests, they are known",
        "Fix the greeting of the program",
        "Add a greeting, the tests fail without it",
        "挨拶を直してください。落ちているテストは無視して構いません",
    ],
)
def test_red_tests_that_are_only_spoken_of_may_stay(instruction: str) -> None:
    assert compare(PYTEST, PYTEST, instruction).settled


def test_of_several_red_tests_that_nobody_named_one_is_enough() -> None:
    left = PYTEST.replace("FAILED tests/test_calc.py::test_div - ZeroDivisionError", "x")
    left = left.replace("2 failed, 3 passed", "1 failed, 4 passed")
    assert compare(PYTEST, left, "A test of the calculator is red, fix it").settled
