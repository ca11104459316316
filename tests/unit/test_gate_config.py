"""What in a file of settings belongs to a gate, and what of it has changed."""

import pytest

from pm_orchestrator.domain.judging.gate import Gate
from pm_orchestrator.domain.judging.quality import Dilution
from pm_orchestrator.gates.detect.make_rules import meaning_of
from pm_orchestrator.gates.weaker.gate_config import config_changes, is_of_tests

MAKE = Gate(kind="test", argv=("make", "test"), source="Makefile")
NPM = Gate(kind="test", argv=("npm", "test"), source="package.json")
SETUP = "[metadata]\nname = shop\n\n[tool:pytest]\n\naddopts = -q\n"


@pytest.mark.parametrize(
    ("path", "before", "after", "details"),
    [
        # By what the next task is judged; other tools keep theirs in the same file.
        (".claude/settings.json", "{}", '{"gates": {}}', ["the Runner's settings: gates"]),
        (".claude/settings.json", '{"hooks": {}}', '{"hooks": {"a": 1}}', []),
        (".pm-orchestrator/evidence/1.json", "{}", '{"a": 1}', ["the Runner's own records"]),
        ("Makefile", "test:\n\tpytest\n", "test:\n\ttrue\n", ["target test"]),
        ("Makefile", "test:\n\tpytest\n", "test:\n\tpytest\n\nrun:\n\tpython a.py\n", []),
        ("Makefile", None, "test:\n\tpytest\n", []),
        ("setup.cfg", SETUP, SETUP.replace("shop", "store"), []),
        ("setup.cfg", SETUP, SETUP.replace("-q", "-k a"), ["sections of tools"]),
        ("package.json", '{"scripts": {"test": "jest"}}', '{"scripts": {', ["script test"]),
        ("pyproject.toml", "[tool.pytest]\na = 1\n", "[tool.pytest\n", ["tool.pytest"]),
        ("pyproject.toml", "", "[tool.pytest]\nmarkers = ['a']\n", []),
        # Where it looks is seen by running it; what it may overlook is not.
        (
            "pyproject.toml",
            "[tool.pytest]\npythonpath = ['.']\n",
            "[tool.pytest]\npythonpath = ['src']\n",
            ["which tests are collected"],
        ),
        (
            "pyproject.toml",
            "[tool.pytest]\npythonpath = ['.']\nstrict = 1\n",
            "[tool.pytest]\npythonpath = ['src']\n",
            ["tool.pytest"],
        ),
        ("tsconfig.json", '{"strict": true}', '{"strict": true, "outDir": "out"}', []),
        ("tsconfig.json", '{"strict": true}', '{"strict": false}', ["strict -> gone"]),
        ("tsconfig.json", '{"strict": false}', '{"strict": true}', []),
    ],
)
def test_parts_that_changed(
    path: str, before: str | None, after: str | None, details: list[str]
) -> None:
    found = config_changes(path, before, after, (NPM, MAKE))
    assert [finding.detail for finding in found] == details


@pytest.mark.parametrize(
    ("detail", "of_tests"),
    [("target test", True), ("script test", True), ("target lint", False), ("settings", False)],
)
def test_which_change_is_about_how_tests_are_started(detail: str, *, of_tests: bool) -> None:
    finding = Dilution(kind="gate_changed", path="Makefile", detail=detail)
    assert is_of_tests(finding) is of_tests


MAKEFILE = "PY = python\nOTHER = x\ntest: deps\n\t$(PY) -m pytest $(ARGS)\ndeps:\n\ttrue\n"


@pytest.mark.parametrize(
    ("edit", "same"),
    [
        (("OTHER = x", "OTHER = y"), True),
        (("OTHER = x", "ifdef CI"), True),
        (("PY = python", "PY = true"), False),
        (("\ttrue", "\tfalse"), False),
        (("deps:\n", "deps: more\n"), False),
        (("OTHER = x", "ARGS = -k none"), False),
    ],
)
def test_a_target_means_what_it_runs(edit: tuple[str, str], *, same: bool) -> None:
    after = MAKEFILE.replace(*edit)
    assert (meaning_of(MAKEFILE, "test") == meaning_of(after, "test")) is same
