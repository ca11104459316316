"""An executor that fails: its output is kept, and a person gets one sentence with the place."""

import json
from pathlib import Path

import pytest

from pm_orchestrator.testing.programs.called_program import Program
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript

SAID = "Traceback: half of a line that is nobody's business"
OVERLOADED = json.dumps(
    {"type": "result", "subtype": "error", "is_error": True, "result": SAID, "num_turns": 1}
)


@pytest.mark.parametrize(("ends_with", "exit_code"), [(SAID, 7), (OVERLOADED, 1)])
def test_its_output_is_kept_and_not_poured_out(
    program: Program, project: Path, claude: ClaudeScript, ends_with: str, exit_code: int
) -> None:
    """R-15 Output Control and Validation, R-39: our sentence and the place, not its output."""
    agent = claude.does("true", ends_with=ends_with, exit_code=exit_code)
    where = ("--project", str(project))
    ran = program("run", "Add a line to notes.md", "--solo", *where, env=agent)
    assert ran.code == 1, ran.out + ran.err
    assert SAID not in ran.out + ran.err
    (why,) = (line for line in ran.out.splitlines() if line.startswith("[WHY]"))
    assert f"exit code {exit_code}" in why
    kept = project / why[why.index(".claude/") :].rstrip(".")
    assert SAID in kept.read_text("utf-8")
    (hint,) = (line for line in ran.out.splitlines() if line.startswith("[HINT]"))
    command = hint[hint.index("`") + 1 :].partition("`")[0].removeprefix("pm-orchestrator ")
    assert SAID in program(*command.split(), *where).out

    shown = program("status", _session(project), "--json", *where).json
    assert shown["next_action"] is False
    assert f"exit code {exit_code}" in shown["next_action_reason"]


LOCKED_OUT = (
    '{"type":"assistant","error":"authentication_failed","message":{"id":"m","content":'
    '[{"type":"text","text":"Not logged in - Please run /login"}]}}\n'
    '{"type":"result","subtype":"success","is_error":true,"num_turns":1,'
    '"result":"Not logged in - Please run /login"}'
)


def test_one_without_a_login_is_told_how_to_log_in(
    program: Program, project: Path, claude: ClaudeScript
) -> None:
    """There is no /login here; the command that cures it is named, in both languages."""
    agent = claude.does("true", ends_with=LOCKED_OUT, exit_code=1)
    where = ("--project", str(project))
    ran = program("run", "Add a line to notes.md", "--solo", *where, env=agent)
    assert ran.code == 1
    assert ran.err.splitlines() == [
        "ERROR E503: executor claude-code is not logged in, or its key is not accepted.",
        "HINT: `claude auth login` logs in; then give the task again.",
    ]
    ran = program("run", "Create a.md", "--solo", "--lang", "ja", *where, env=agent)
    assert "ログインしていない" in ran.err
    # What came before a login failed once is no reason where it got in afterwards.
    good = '{"type":"result","subtype":"success","is_error":false,"result":"Done."}'
    agent = claude.does("echo more >> notes.md", ends_with=f"{LOCKED_OUT}\n{good}")
    assert program("run", "Add a line to notes.md", "--solo", *where, env=agent).code == 0


def _session(project: Path) -> str:
    (folder,) = (project / ".claude" / "logs" / "sessions").iterdir()
    return folder.name


def test_status_always_says_why(program: Program, project: Path, claude: ClaudeScript) -> None:
    """R-10 Comprehensive Final Reporting: the next action has its reason in every state."""
    script = "/start\n/status\nAdd a line to notes.md\n/status\nfix it\n/status\n/tasks\n/exit\n"
    agent = claude.does("echo more >> notes.md")
    where = ("--project", str(project))
    ran = program("repl", "--non-interactive", *where, stdin=script, env=agent)
    reasons = [line for line in ran.out.splitlines() if line.startswith("next_action_reason: ")]
    assert len(reasons) == 3, ran.out
    assert len(set(reasons)) == 3, "each its own"
    assert ran.out.count("next_action: ") == 4, "three and that of /start"
    assert "1 completed, 0 running, 0 pending, 0 failed, 1 waiting" in ran.out
