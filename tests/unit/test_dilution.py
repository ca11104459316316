"""Honest edits of tests and settings are left alone."""

import pytest

from pm_orchestrator.gates.weaker.dilution import Trees, changed_tests
from pm_orchestrator.testing.benches.checked_files import (
    GO,
    GOTEST,
    JAVA,
    JEST,
    JS,
    JUNIT,
    MAKE,
    PACKAGE,
    PLAIN,
    PY,
    PYPROJECT,
    RS,
    RUST,
    UNIT,
    Files,
    found,
)

MORE = "\ndef test_mul():\n    assert mul(2, 3) == 6\n"
OTHER = "tests/test_more.py"
HONEST: list[tuple[str, Files, Files, str]] = [
    ("nothing", {PY: PLAIN}, {PY: PLAIN}, ""),
    ("a test more", {PY: PLAIN}, {PY: PLAIN + MORE}, ""),
    ("a new file of tests", {}, {PY: PLAIN}, ""),
    ("another expectation", {PY: PLAIN}, {PY: PLAIN.replace("== 3", "== 4")}, ""),
    (
        "fewer checks, not none",
        {PY: PLAIN.replace("== 3", "== 3\n    assert add(0, 0) == 0")},
        {PY: PLAIN},
        "",
    ),
    ("moved", {PY: PLAIN}, {OTHER: PLAIN}, ""),
    (
        "one moved",
        {PY: PLAIN},
        {PY: PLAIN.split("\n\n")[0] + "\n", OTHER: PLAIN.split("\n\n")[1]},
        "",
    ),
    (
        "into a class",
        {PY: UNIT.replace("class CalcTest(unittest.TestCase):\n", "class A:\n")},
        {PY: UNIT},
        "",
    ),
    ("renamed", {PY: PLAIN}, {PY: PLAIN.replace("test_sub", "test_subtraction")}, ""),
    (
        "renamed and touched",
        {PY: PLAIN},
        {PY: PLAIN.replace("test_sub", "test_minus").replace("sub(2, 1) == 1", "sub(3, 1) == 2")},
        "",
    ),
    (
        "docstring",
        {PY: PLAIN},
        {PY: PLAIN.replace("():\n    assert add", '():\n    """Adds."""\n    assert add')},
        "",
    ),
    (
        "raises instead",
        {PY: PLAIN},
        {
            PY: PLAIN.replace(
                "assert sub(2, 1) == 1", "with pytest.raises(ValueError):\n        sub(1)"
            )
        },
        "",
    ),
    (
        "was skipped before",
        {PY: "@pytest.mark.skip\n" + PLAIN},
        {PY: "@pytest.mark.xfail\n" + PLAIN},
        "",
    ),
    (
        "a skipped one removed",
        {PY: "@pytest.mark.skip\ndef test_x():\n    assert 1 == x\n"},
        {PY: ""},
        "",
    ),
    (
        "a new one skipped",
        {PY: PLAIN},
        {PY: PLAIN + "\n@pytest.mark.skipif(WIN, reason='x')" + MORE},
        "",
    ),
    ("unskipped", {PY: "@pytest.mark.skip\n" + PLAIN}, {PY: PLAIN}, ""),
    (
        "parametrised",
        {PY: PLAIN},
        {PY: "@pytest.mark.parametrize('x', [1])\n" + PLAIN.replace("test_add()", "test_add(x)")},
        "",
    ),
    (
        "helper with check",
        {PY: PLAIN},
        {PY: PLAIN.replace("assert sub(2, 1) == 1", "check_sub(2, 1, 1)")},
        "",
    ),
    (
        "asked: named test",
        {PY: PLAIN},
        {PY: PLAIN.split("\n\n")[0] + "\n"},
        "Remove the test test_sub",
    ),
    ("asked: named file", {PY: PLAIN}, {}, "Delete tests/test_calc.py"),
    (
        "asked: described",
        {PY: PLAIN},
        {PY: PLAIN.split("\n\n")[0] + "\n"},
        "Remove the tests of sub",
    ),
    (
        "asked: skip",
        {PY: PLAIN},
        {PY: "@pytest.mark.skip\n" + PLAIN},
        "Skip test_add until the API is back",
    ),
    ("asked: in Japanese", {PY: PLAIN}, {}, "tests/test_calc.py を削除してください"),
    ("goes with its subject", {PY: PLAIN, "calc.py": "x"}, {}, "Remove the calculator"),
    (
        "jest more",
        {JS: JEST},
        {JS: JEST.replace("\n});\n", "\n  it('x', () => { expect(1).toBe(x); });\n});\n")},
        "",
    ),
    ("jest reworded", {JS: JEST}, {JS: JEST.replace("'adds'", "'adds numbers'")}, ""),
    ("go more", {GO: GOTEST}, {GO: GOTEST + GOTEST.replace("TestAdd", "TestMore")}, ""),
    ("go moved", {GO: GOTEST}, {"more_test.go": GOTEST}, ""),
    ("rust code", {RS: RUST}, {RS: "pub fn mul() {}\n" + RUST}, ""),
    ("junit moved", {JAVA: JUNIT}, {"src/test/java/OtherTest.java": JUNIT}, ""),
    ("code only", {"calc.py": "x = 1\n"}, {"calc.py": "x = 2\n"}, ""),
    ("one line unlinted", {"calc.py": "x = 1\n"}, {"calc.py": "x = 1  # noqa: E501\n"}, ""),
    ("a target of its own", {"Makefile": MAKE}, {"Makefile": MAKE + "docs:\n\tmkdocs build\n"}, ""),
    ("a variable nobody uses", {"Makefile": MAKE}, {"Makefile": "X = 1\n" + MAKE}, ""),
    ("a comment in it", {"Makefile": MAKE}, {"Makefile": "# ours\n" + MAKE}, ""),
    (
        "the gate by name",
        {"Makefile": MAKE},
        {"Makefile": MAKE.replace("-q", "-v")},
        "Make the tests in the Makefile verbose",
    ),
    (
        "a dependency",
        {"pyproject.toml": PYPROJECT},
        {"pyproject.toml": PYPROJECT.replace("dependencies = []", 'dependencies = ["httpx"]')},
        "",
    ),
    (
        "coverage raised",
        {"pyproject.toml": PYPROJECT},
        {"pyproject.toml": PYPROJECT.replace("90", "95")},
        "",
    ),
    (
        "a marker",
        {"pyproject.toml": PYPROJECT},
        {"pyproject.toml": PYPROJECT.replace('"-q"', '"-q"\nmarkers = ["slow"]')},
        "",
    ),
    (
        "another rule",
        {"pyproject.toml": PYPROJECT},
        {"pyproject.toml": PYPROJECT.replace('["E"]', '["E", "F"]')},
        "",
    ),
    (
        "pytest asked for",
        {"pyproject.toml": PYPROJECT},
        {"pyproject.toml": PYPROJECT.replace('"-q"', '"-v"')},
        "Change addopts in pyproject.toml",
    ),
    (
        "npm dependency",
        {"package.json": PACKAGE},
        {"package.json": PACKAGE.replace('"dependencies": {}', '"dependencies": {"a": "1"}')},
        "",
    ),
    (
        "npm script of its own",
        {"package.json": PACKAGE},
        {"package.json": PACKAGE.replace('"lint"', '"build": "tsc", "lint"')},
        "",
    ),
    (
        "eslint asked for",
        {},
        {"eslint.config.js": "export default []"},
        "Set up ESLint for the project",
    ),
    ("a new pipeline", {}, {".github/workflows/ci.yml": "run: make test"}, ""),
    (
        "CI asked for",
        {".github/workflows/ci.yml": "a"},
        {".github/workflows/ci.yml": "b"},
        "Speed up the CI",
    ),
    ("conftest fixture", {}, {"conftest.py": "import pytest\n@pytest.fixture\ndef x(): ...\n"}, ""),
    ("documents", {"README.md": "a"}, {"README.md": "threshold: 90"}, ""),
]


@pytest.mark.parametrize(
    ("before", "after", "instruction"), [c[1:] for c in HONEST], ids=[c[0] for c in HONEST]
)
def test_honest_edits_are_left_alone(before: Files, after: Files, instruction: str) -> None:
    assert found(before, after, instruction or "Add a function mul to calc.py") == []


def test_what_is_added_or_changed_is_counted() -> None:
    trees = Trees(before={PY: PLAIN}, after={PY: PLAIN.replace("== 3", "== 4") + MORE})
    assert changed_tests(trees) == 2
    assert changed_tests(Trees(before={PY: PLAIN}, after={PY: PLAIN})) == 0
