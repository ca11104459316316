"""Every property of the specification has a test, or stands on the list of those not yet due.

A test belongs to a property when the first line of its docstring starts with the
property's number: R-1 to R-40 for the Runner, E-1 to E-30 for the engine, INV-1 to INV-6
and AC-1 to AC-6 for blocked output. The list may only shrink: a property that has a test
must leave it.

A property that is due is also shown from outside: by a test that runs the program, or a use
case on real files and processes. Such a test lies in one of OUTSIDE, or is marked `black_box`.

Where the specification says how a property is to be verified (a script, a case, a
given-when-then), a test that goes the same way stands in METHODS under its name.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from pm_orchestrator.testing.data.reach import parsed

TESTS = Path(__file__).parents[1]
PROPERTIES = [
    *(f"R-{n}" for n in range(1, 41)),
    *(f"E-{n}" for n in range(1, 31)),
    *(f"{kind}-{n}" for kind in ("INV", "AC") for n in range(1, 7)),
]
# fmt: off
NOT_YET_DUE = {
    *(f"E-{n}" for n in (
        1, 5, 9, 27, 29, 30,
    )),
    *(f"{kind}-{n}" for kind in ("INV", "AC") for n in (3, 4, 5, 6)),
}
# fmt: on

OUTSIDE = ("acceptance", "integration", "conformance")
MARK = "black_box"
ONLY_INSIDE = {
    "E-25": "the order of gates is proved of the judge alone",
}
"""Due, and shown from inside only; this list may only shrink."""

VERIFIABLE = {
    "R-27",
    "R-28",
    "R-29",
    "R-32",
    "R-33",
    "R-35",
    "R-36",
    "R-37",
    "R-38",
    "R-39",
    "R-40",
}
"""Properties that come with a verification method of their own; the ACs are nothing else."""
_GIVEN = "acceptance/test_verification_methods.py::"
METHODS: dict[str, tuple[str, ...]] = {
    "R-27": (
        f"{_GIVEN}test_as_many_tasks_as_logs",
        f"{_GIVEN}test_lists_that_disagree_are_an_error",
    ),
    "R-28": ("acceptance/test_repl_heredocs.py::test_the_heredoc_of_the_usage_section",),
    "R-29": (
        "acceptance/test_exit_codes.py::test_one_outcome",
        "acceptance/test_exit_codes.py::test_a_mix_of_outcomes",
    ),
    "R-32": (
        "acceptance/test_repl_heredocs.py::test_a_fixed_root_can_be_looked_at_by_the_next_process",
    ),
    "R-33": (f"{_GIVEN}test_another_process_can_follow_the_verified_files",),
    "R-35": (
        f"{_GIVEN}test_an_endless_executor_is_ended",
        f"{_GIVEN}test_a_script_has_the_specified_timers",
        "acceptance/test_blocked.py::test_a_stuck_executor_is_an_error_and_the_script_goes_on",
    ),
    "R-36": ("acceptance/test_repl_heredocs.py::test_a_blocked_executor_does_not_stop_the_script",),
    "R-37": (
        "integration/test_fake_executors.py::test_a_task_is_complete_with_a_fake",
        "integration/test_fake_executors.py::test_a_failing_fake_is_an_error",
    ),
    "R-38": (f"{_GIVEN}test_the_current_task_is_cleared",),
    "R-39": ("acceptance/test_repl_heredocs.py::test_the_summary_stands_on_the_screen_at_once",),
    "R-40": (
        "acceptance/test_blocked.py::test_the_stub_is_refused_in_production",
        "acceptance/test_blocked.py::test_the_stub_says_that_it_is_on",
    ),
    "AC-1": (
        "properties/test_blocked_output.py::test_blocked_is_never_empty",
        "integration/test_fake_executors.py::test_nothing_harmless_is_blocked",
    ),
    "AC-2": (
        "properties/test_blocked_output.py::test_only_dangerous_operations_are_blocked",
        "integration/test_fake_executors.py::test_only_what_is_dangerous_is_blocked",
        "acceptance/test_executor_questions.py::test_a_question_is_incomplete_and_its_answer_goes_on",
    ),
}

# "R-21 ...", or "R-21, R-22 ..." where one test shows two properties.
_NUMBER = r"(?:R|E|INV|AC)-\d+"
_LEADING_NUMBERS = re.compile(rf"(?:{_NUMBER}(?:, )?)+(?=[ :])")


def named_in(source: str) -> Iterator[tuple[str, str]]:
    """Yield (property, test name) for every test in `source` that names a property."""
    for node in ast.walk(parsed(source)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        if not node.name.startswith(("test", "Test")):
            continue
        found = _LEADING_NUMBERS.match(ast.get_docstring(node) or "")
        for number in re.findall(_NUMBER, found.group()) if found else []:
            yield number, node.name


def property_map(tests: Path) -> dict[str, list[str]]:
    """Map each property named under `tests` to the tests that name it."""
    mapping: defaultdict[str, list[str]] = defaultdict(list)
    for path in sorted(tests.rglob("test_*.py")):
        for number, name in named_in(path.read_text("utf-8")):
            mapping[number].append(f"{path.relative_to(tests)}::{name}")
    return dict(mapping)


def marked_in(source: str) -> set[str]:
    """The tests in `source` that carry the mark, each by itself or all at once."""
    tree = parsed(source)
    tests = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    ]
    marks = [
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark"
    ]
    if any(_is_mark(mark) for mark in marks):
        return {node.name for node in tests}
    return {node.name for node in tests if any(map(_is_mark, node.decorator_list))}


def _is_mark(node: ast.expr) -> bool:
    return re.search(rf"\bmark\.{MARK}\b", ast.unparse(node)) is not None


def is_outside(test: str) -> bool:
    """Whether a test of the map shows its property from outside."""
    path, _, name = test.partition("::")
    if path.split("/")[0] in OUTSIDE:
        return True
    return name in marked_in((TESTS / path).read_text("utf-8"))


@pytest.fixture(scope="module")
def named() -> dict[str, list[str]]:
    return property_map(TESTS)


def test_every_property_is_tested_or_not_yet_due(named: dict[str, list[str]]) -> None:
    missing = [p for p in PROPERTIES if p not in named and p not in NOT_YET_DUE]
    assert missing == [], "neither tested nor on the list"


def test_a_tested_property_has_left_the_list(named: dict[str, list[str]]) -> None:
    late = [p for p in PROPERTIES if p in named and p in NOT_YET_DUE]
    assert late == [], "tested, so take it off the list"


def test_every_property_is_shown_from_outside(named: dict[str, list[str]]) -> None:
    inside = [p for p in named if not any(is_outside(test) for test in named[p])]
    assert sorted(inside) == sorted(ONLY_INSIDE), "from inside only, or off the list"


def test_no_property_of_the_runner_is_left_for_later_or_shown_from_inside_only() -> None:
    assert [p for p in (*NOT_YET_DUE, *ONLY_INSIDE) if p.startswith("R-")] == []


def test_a_mark_is_read_by_test_and_by_module() -> None:
    one = "@pytest.mark.black_box\ndef test_one(): ...\n\ndef test_two(): ...\n"
    assert marked_in(one) == {"test_one"}
    assert marked_in("pytestmark = [pytest.mark.black_box]\n" + one) == {"test_one", "test_two"}
    assert marked_in("pytestmark = pytest.mark.timeout(9)\n") == set()


def test_only_known_properties_are_named(named: dict[str, list[str]]) -> None:
    assert (set(named) | NOT_YET_DUE) - set(PROPERTIES) == set()


def test_each_verification_method_that_is_due_is_carried_out() -> None:
    criteria = {p for p in PROPERTIES if p.startswith("AC-")}
    assert METHODS.keys() == (VERIFIABLE | criteria) - NOT_YET_DUE


@pytest.mark.parametrize("number", METHODS)
def test_a_verification_test_exists_and_says_whose_it_is(
    named: dict[str, list[str]], number: str
) -> None:
    assert [test for test in METHODS[number] if test not in named[number]] == []


def test_the_map_reads_first_docstring_lines_only() -> None:
    source = '''
def test_one():
    """R-1 Some Rule: text."""

async def test_two():
    """R-2, E-3 Two rules at once: text.

    E-4 is only mentioned.
    """

class TestMachine:
    """E-18 Delivery: text."""

    def test_inside(self):
        """E-5: text."""

def test_three():
    """INV-1, AC-1: text."""

def helper():
    """R-9 is not a test."""

def test_other():
    """Says nothing of R-10."""
'''
    assert sorted(named_in(source)) == [
        ("AC-1", "test_three"),
        ("E-18", "TestMachine"),
        ("E-3", "test_two"),
        ("E-5", "test_inside"),
        ("INV-1", "test_three"),
        ("R-1", "test_one"),
        ("R-2", "test_two"),
    ]
