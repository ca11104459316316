"""A false test, written where the runners at hand find it."""

from pathlib import Path

import pytest

from pm_orchestrator.gates.cross.canary import canary_beside

FILES = ("tests/test_calc.py", "web/calc.test.ts", "web/test-calc.mjs", "spec/calc_spec.rb")


@pytest.mark.parametrize(
    ("test", "folder", "begins", "ends"),
    [
        ("tests/test_calc.py::test_add", "tests", "test_", ".py"),
        ("tests.test_calc.TestCalc.test_add", "tests", "test_", ".py"),
        ("web/calc.test.ts", "web", "c", ".test.cjs"),
        ("web/test-calc.mjs", "web", "test-", ".cjs"),
    ],
)
def test_it_lies_where_the_runner_finds_it(test: str, folder: str, begins: str, ends: str) -> None:
    found = canary_beside([test], FILES)
    assert found is not None
    path = Path(found.path)
    assert path.parent == Path(folder)
    assert path.name.startswith(begins)
    assert path.name.endswith(ends)
    assert found.name in found.path
    assert found.name.encode() in found.content
    again = canary_beside([test], FILES)
    assert again is not None
    assert again.path != found.path, "a name that nobody can know beforehand"


@pytest.mark.parametrize("test", ["spec/calc_spec.rb", "calc adds", "other/test_gone.py::test_a"])
def test_beside_what_no_runner_of_ours_reads_there_is_none(test: str) -> None:
    assert canary_beside([test], FILES) is None
