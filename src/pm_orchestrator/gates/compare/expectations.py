"""What tests expect, apart from what they try.

A snapshot, a golden file or a report to compare with holds nothing but expectations; a test
that differs in its literals alone tries the same and expects something else.
"""

import re
from collections.abc import Collection, Iterator

from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.gates.compare.check_files import CODE
from pm_orchestrator.gates.compare.recognised_tests import tests_in

LITERALS = LatePattern(
    r"Constant\(value=(?:'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|[^'\"()]*)\)"
    r"|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`[^`]*`|\b\d[\d._]*\b"
)
CALLS = LatePattern(r"(?<![\w])([A-Za-z_]\w*)\(|attr='(\w+)'|Name\(id='(\w+)'")
COMPARED = LatePattern(r"^[^#\n]*\b(?:diff|cmp)\b[^\n]*$", re.MULTILINE)
OF_A_DUMP = frozenset(
    {"Call", "Constant", "Name", "Load", "Store", "Attribute", "Assert", "Compare", "Expr", "Eq"}
    | {"keyword", "List", "Tuple", "With", "withitem", "Assign", "BinOp", "UnaryOp", "Dict", "arg"}
)
CHECKING = LatePattern(
    r"assert|expect|raises|equal|^(?:it|test|describe|self|is|ok|pytest|len)$", re.I
)


def holds_expectations(path: str) -> bool:
    """Whether a file of the checks is data, and no code."""
    return CODE.search(path) is None


def compared_with(recipe: str, paths: Collection[str]) -> Iterator[str]:
    """The files that a recipe compares something with."""
    lines = " ".join(COMPARED.findall(recipe))
    words = frozenset(re.split(r"[\s\"'()<>;&|]+", lines))
    return (path for path in paths if path in words and holds_expectations(path))


def fed_with(recipe: str, paths: Collection[str]) -> Iterator[str]:
    """The files of data that a recipe works on: other figures make another result right."""
    words = frozenset(re.split(r"[\s\"'()<>;&|:=]+", recipe))
    return (path for path in paths if path in words and holds_expectations(path))


def expects_otherwise(path: str, before: str, after: str, name: str | None) -> bool:
    """Whether a test, or all that changed in a file, tries the same and expects another result."""
    if holds_expectations(path):
        return before != after
    old = {t.last_name: t.body for t in tests_in(path, before)}
    new = {t.last_name: t.body for t in tests_in(path, after)}
    other = [n for n in old if old[n] != new.get(n)]
    names = [n for n in other if name == n] if name in old else other
    return bool(names) and all(n in new and _bare(old[n]) == _bare(new[n]) for n in names)


def tries_the_same(old: str, new: str) -> bool:
    """Whether one test uses most of what another uses."""
    before, now = _used(old), _used(new)
    return not before or 2 * len(before & now) >= len(before)


def _bare(body: str) -> str:
    return LITERALS.sub("_", body)


def _used(body: str) -> frozenset[str]:
    names = {name for found in CALLS.finditer(body) for name in found.groups() if name}
    return frozenset(n for n in names - OF_A_DUMP if CHECKING.search(n) is None)
