"""Honest work is not refused, however unusual the project looks."""

from pathlib import Path

import pytest

from pm_orchestrator.testing.programs.called_program import Program
from pm_orchestrator.testing.scripted.agent_tables import WORK
from pm_orchestrator.testing.scripted.scripted_claude import (
    ClaudeScript,
    commit_all,
    python_project,
)

pytestmark = [pytest.mark.timeout(60), pytest.mark.unmeasured]


def test_a_red_base_with_unrelated_failures(
    program: Program, project: Path, claude: ClaudeScript
) -> None:
    python_project(project)
    broken = project / "tests" / "test_broken.py"
    broken.write_text(
        "import unittest\n\n\nclass BrokenTest(unittest.TestCase):\n"
        "    def test_broken(self):\n        self.fail('since last year')\n",
        encoding="utf-8",
    )
    commit_all(project)
    env = claude.does(WORK)
    ran = program(
        "run", "Add a function double to calc.py", "--solo", "--project", str(project), env=env
    )
    assert ran.code == 0, ran.out + ran.err


def test_without_git(program: Program, tmp_path: Path, claude: ClaudeScript) -> None:
    root = tmp_path / "plain"
    root.mkdir()
    assert program("init", "--project", str(root)).code == 0
    env = claude.does("echo '# Readme' > README.md")
    ran = program("run", "Create README.md", "--solo", "--project", str(root), env=env)
    assert ran.code == 0, ran.out + ran.err
