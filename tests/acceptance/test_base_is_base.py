"""A failure is excused by the tree from before the task, and by no other."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from pm_orchestrator.testing.programs.called_program import Program, Ran
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript, commit_all

pytestmark = pytest.mark.timeout(90)

Work = Callable[[str], Ran]
FILES = {
    "calc.py": "import local\n\ndef add(a, b):\n    return a + b + local.OFFSET\n",
    "tests/__init__.py": "",
    "tests/test_calc.py": (
        "import unittest\nimport calc\n\nclass CalcTest(unittest.TestCase):\n"
        "    def test_add(self):\n        self.assertEqual(calc.add(1, 2), 3)\n"
        "    def test_red(self):\n        self.assertEqual(calc.add(1, 2), 4)\n"
    ),
    "Makefile": "test:\n\tpython3 -B -m unittest discover -s tests -t .\n",
    ".gitignore": "__pycache__/\nlocal.py\n*.sqlite3\n.venv/\n",
}
ADD_MUL = "printf 'def mul(a, b):\\n    return a * b\\n' >> calc.py"


@pytest.fixture
def work(program: Program, project: Path, tmp_path: Path) -> Work:
    for name, text in FILES.items():
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text(text, encoding="utf-8")
    commit_all(project)
    (project / "local.py").write_text("OFFSET = 0\n", encoding="utf-8")

    def run(body: str) -> Ran:
        env = ClaudeScript(tmp_path / "bin").does(body)
        arguments = ("--solo", "--json", "--project", str(project))
        return program("run", "Add a function mul to calc.py", *arguments, env=env)

    return run


def test_an_ignored_file_is_in_the_base_as_it_was(work: Work, project: Path) -> None:
    honest = work(f"{ADD_MUL}; echo x > run.sqlite3")
    assert (honest.code, honest.json["reason"]["key"]) == (0, "all_settled"), honest.out
    # With this, the base would fail as well, and excuse it.
    lie = work(f"{ADD_MUL}; echo 'OFFSET = 5' > local.py")
    assert (lie.code, lie.json["reason"]["key"]) == (2, "gate_new_failures"), lie.out + lie.err
    assert "test_add" in lie.out


@pytest.mark.long
def test_a_base_that_cannot_be_had_excuses_nothing(work: Work, project: Path) -> None:
    packages = project / ".venv" / "lib" / "python3.11" / "site-packages"
    (packages / "tool").mkdir(parents=True)
    (packages / "tool" / "__init__.py").write_text("x = 1\n", encoding="utf-8")
    inside = os.path.relpath(packages, project)
    ran = work(f"{ADD_MUL}; echo 'x = 2' > {inside}/tool/__init__.py")
    assert (ran.code, ran.json["status"]) == (2, "INCOMPLETE"), ran.out + ran.err
    assert "toolchain_changed" in {finding["kind"] for finding in ran.json["findings"]}


def test_a_program_that_came_with_the_work_runs_no_gate(work: Work, project: Path) -> None:
    place = '"$(dirname "$(command -v claude)")"'
    (project / "tests" / "test_calc.py").write_text(
        FILES["tests/test_calc.py"].split("    def test_red")[0], encoding="utf-8"
    )
    forge = f"printf '#!/bin/sh\\necho \"Ran 1 test\"; echo OK\\n' > {place}/python3"
    break_it = "sed -i 's/a + b/a - b/' calc.py"
    ran = work(f"{break_it}; {ADD_MUL}; {forge}; chmod +x {place}/python3")
    assert (ran.code, ran.json["status"]) == (2, "INCOMPLETE"), ran.out + ran.err
    assert "test_add" in ran.out
