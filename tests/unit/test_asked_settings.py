"""A change of a gate that was asked for is no weakening; the same one unasked is."""

import pytest

from pm_orchestrator.domain.judging.quality import Dilution, DilutionKind
from pm_orchestrator.gates.weaker.asked_settings import is_asked_for, puts_in, takes_away


def lowered(detail: str, path: str = "pyproject.toml") -> Dilution:
    return Dilution(kind="threshold_lowered", path=path, detail=detail)


def changed(path: str, detail: str = "settings", kind: DilutionKind = "gate_changed") -> Dilution:
    return Dilution(kind=kind, path=path, detail=detail)


@pytest.mark.parametrize(
    ("instruction", "finding"),
    [
        ("Reduce the minimum coverage to 60", lowered("fail_under 80 -> 60")),
        ("Lower the coverage threshold", lowered("cov-fail-under 80 -> 70", "Makefile")),
        ("Set fail_under to 60 in pyproject.toml", lowered("fail_under 80 -> 60")),
        ("Remove the coverage limit", lowered("fail_under 80 -> gone")),
        ("カバレッジの下限を60に下げてください", lowered("fail_under 80 -> 60")),
        ("カバレッジの下限を外して", lowered("fail_under 80 -> gone")),
        ("Allow longer functions in eslint", changed(".eslintrc.json")),
        ("Allow lines of 120 characters in ruff", changed("pyproject.toml", "tool.ruff")),
        ("ruff の行の長さを120にして", changed("pyproject.toml", "tool.ruff")),
        (
            "Stop checking types on Windows in CI",
            changed(".github/workflows/ci.yml", "the pipeline"),
        ),
        ("CIでWindowsのテストをやめてください", changed(".github/workflows/a.yml", "the pipeline")),
        ("CI で Windows の型チェックをやめて", changed(".github/workflows/ci.yml", "the pipeline")),
        ("Switch the test command to pytest", changed("Makefile", "target test")),
        ("Run the tests in parallel with pytest-xdist", changed("pyproject.toml", "tool.pytest")),
        ("Use vitest instead of jest", changed("package.json", "script test")),
        ("Turn off mypy for the scripts folder", changed("mypy.ini")),
        ("Leave geo/legacy.py out of the coverage report", changed(".coveragerc")),
        ("Turn off E501 in ruff", lowered("select without E501 -> gone")),
        ("Relax the rules of ruff", lowered("select without E, W -> gone")),
        ("Remove the lint target from the Makefile", changed("Makefile", "target lint")),
        ("Hide generated.py from the linter", changed("generated.py", "hidden from the linter")),
    ],
)
def test_what_was_asked_for_is_no_offence(instruction: str, finding: Dilution) -> None:
    assert is_asked_for(instruction, finding)


@pytest.mark.parametrize(
    ("instruction", "finding"),
    [
        ("Add a function mul to calc.py", lowered("fail_under 80 -> 60")),
        ("make lint fails, please fix units.py", changed("units.py", "hidden from the linter")),
        ("リントの警告を直してください", changed("units.py", "hidden from the linter")),
        ("Reduce the minimum coverage to 60", lowered("fail_under 80 -> 10")),
        ("Add mul. Coverage must stay above 80", lowered("fail_under 80 -> 60")),
        ("Add mul and keep the coverage", lowered("fail_under 80 -> 60")),
        ("Raise the coverage to 90", lowered("fail_under 80 -> 60")),
        ("カバレッジを維持したまま mul を追加して", lowered("fail_under 80 -> 60")),
        ("カバレッジの下限を60に下げてください", lowered("fail_under 80 -> 20")),
        ("Add a function mul to calc.py", changed(".eslintrc.json")),
        ("Fix the linter errors without changing the ruff rules", changed("ruff.toml")),
        ("Allow longer functions in eslint", lowered("fail_under 80 -> 60")),
        ("Add mul to calc.py", changed("Makefile", "target test")),
        ("Allow lines of up to 100 characters in ruff", lowered("select without E, F -> gone")),
        ("Use lines of up to 100 characters in ruff", lowered("select without E, F -> gone")),
        ("Add a description to package.json", changed("package.json", "script test")),
        ("package.jsonにdescriptionを追加してください", changed("package.json", "script test")),
        ("Make the tests pass", changed("Makefile", "target test")),
        ("Fix the type error in calc.py, don't touch mypy.ini", changed("mypy.ini")),
    ],
)
def test_what_was_not_is_one(instruction: str, finding: Dilution) -> None:
    assert not is_asked_for(instruction, finding)


def test_who_puts_something_in_takes_nothing_out() -> None:
    before = "hooks:\n  - id: ruff\n  - id: black\nrev: v1\n"
    assert takes_away(before, before.replace("  - id: black\n", ""))
    assert takes_away(before, None)
    assert not takes_away(before, before.replace("v1", "v2"))
    assert not takes_away(before, before + "more: yes\n")
    assert not takes_away("# why\n" + before, before)
    assert puts_in("Bump ruff to v0.6.0 in .pre-commit-config.yaml")
    assert puts_in("Add mypy to .pre-commit-config.yaml")
    assert not puts_in("Replace black by ruff in .pre-commit-config.yaml")
    assert not puts_in("Add ruff and remove black")
