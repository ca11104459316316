"""Executors whose end does not fit what they did: not one of them gets COMPLETE."""

from pathlib import Path

import pytest

from pm_orchestrator.testing.programs.called_program import Program
from pm_orchestrator.testing.scripted.agent_tables import ADD, WORK
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript, python_project

pytestmark = [pytest.mark.timeout(60), pytest.mark.unmeasured]

RESULT = '{"type":"result","subtype":"%s","is_error":%s,"result":"x"}'
ENDS: dict[str, str] = {
    "says error with subtype success": RESULT % ("success", "true"),
    "ran out of turns": RESULT % ("error_max_turns", "false"),
    "no result at all": "",
    "prose instead of events": "All done! Everything passes.",
}


@pytest.mark.parametrize("name", ENDS)
def test_a_bad_end_is_no_success(
    program: Program, project: Path, claude: ClaudeScript, name: str
) -> None:
    python_project(project)
    env = claude.does(WORK, ends_with=ENDS[name])
    ran = program("run", ADD, "--solo", "--project", str(project), env=env)
    assert ran.code == 1, ran.out + ran.err


def test_exit_code_of_the_program_counts(
    program: Program, project: Path, claude: ClaudeScript
) -> None:
    python_project(project)
    env = claude.does(WORK, exit_code=1)
    assert program("run", ADD, "--solo", "--project", str(project), env=env).code == 1
