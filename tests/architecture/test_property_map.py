"""Every property of the specification has a test, or stands on the list of those not yet due.

A test belongs to a property when the first line of its docstring starts with the
property's number: R-1 to R-40 for the Runner, E-1 to E-30 for the engine. The list
may only shrink: a property that has a test must leave it.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parents[1]
PROPERTIES = [f"R-{n}" for n in range(1, 41)] + [f"E-{n}" for n in range(1, 31)]
# fmt: off
NOT_YET_DUE = {
    *(f"R-{n}" for n in (
        2, 3, 6, 23, 28, 29, 32, 36,
        39,
    )),
    *(f"E-{n}" for n in (
        1, 5, 9, 13, 14, 27, 29, 30,
    )),
}
# fmt: on

# "R-21 ...", or "R-21, R-22 ..." where one test shows two properties.
_LEADING_NUMBERS = re.compile(r"(?:[RE]-\d+(?:, )?)+(?=[ :])")


def named_in(source: str) -> Iterator[tuple[str, str]]:
    """Yield (property, test name) for every test in `source` that names a property."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        if not node.name.startswith(("test", "Test")):
            continue
        found = _LEADING_NUMBERS.match(ast.get_docstring(node) or "")
        for number in re.findall(r"[RE]-\d+", found.group()) if found else []:
            yield number, node.name


def property_map(tests: Path) -> dict[str, list[str]]:
    """Map each property named under `tests` to the tests that name it."""
    mapping: defaultdict[str, list[str]] = defaultdict(list)
    for path in sorted(tests.rglob("test_*.py")):
        for number, name in named_in(path.read_text("utf-8")):
            mapping[number].append(f"{path.relative_to(tests)}::{name}")
    return dict(mapping)


MAP = property_map(TESTS)


def test_every_property_is_tested_or_not_yet_due() -> None:
    missing = [p for p in PROPERTIES if p not in MAP and p not in NOT_YET_DUE]
    assert missing == [], "neither tested nor on the list"


def test_a_tested_property_has_left_the_list() -> None:
    late = [p for p in PROPERTIES if p in MAP and p in NOT_YET_DUE]
    assert late == [], "tested, so take it off the list"


def test_only_known_properties_are_named() -> None:
    named = set(MAP) | NOT_YET_DUE
    assert named - set(PROPERTIES) == set()


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

def helper():
    """R-9 is not a test."""

def test_other():
    """Says nothing of R-10."""
'''
    assert sorted(named_in(source)) == [
        ("E-18", "TestMachine"),
        ("E-3", "test_two"),
        ("E-5", "test_inside"),
        ("R-1", "test_one"),
        ("R-2", "test_two"),
    ]
