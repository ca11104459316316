"""A red gate that names the project by its absolute path: the work is not its own excuse."""

import json
from pathlib import Path

import pytest

from pm_orchestrator.testing.programs.called_program import Program
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript, commit_all

CHECK = "#!/bin/sh\n{cd}grep -q good code.txt2 && exit 0\necho 'not ok 1 - code'\nexit 1\n"


def red_gate(project: Path, script: str, *, argv: list[str] | None = None) -> None:
    (project / "code.txt2").write_text("good\n", encoding="utf-8")
    (project / "check.sh").write_text(script, encoding="utf-8")
    (project / "check.sh").chmod(0o755)
    settings = project / ".claude" / "settings.json"
    content = json.loads(settings.read_text(encoding="utf-8"))
    content["gates"] = {"test": argv or [str(project / "check.sh")]}
    settings.write_text(json.dumps(content), encoding="utf-8")
    commit_all(project)


@pytest.mark.parametrize("cd", ['cd "$(dirname "$0")"', "cd {project}"])
def test_the_base_is_at_the_same_path(
    program: Program, project: Path, claude: ClaudeScript, cd: str
) -> None:
    """Run on the delivered tree twice, the new failure would look like an old one."""
    red_gate(project, CHECK.format(cd=cd.format(project=project) + "\n"))
    env = claude.does("echo bad > code.txt2")
    ran = program("run", "Update code.txt2", "--solo", "--project", str(project), env=env)
    assert ran.code == 2, ran.out + ran.err
    assert "fails where it did not before the task" in ran.out
