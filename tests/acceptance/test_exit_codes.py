"""What a script of commands tells the shell, for every mix of outcomes."""

from pathlib import Path

import pytest

from pm_orchestrator.testing.programs.called_program import Program
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript

pytestmark = [pytest.mark.timeout(90), pytest.mark.unmeasured]

# What the executor does follows from the file that the instruction names.
BODY = """case "$*" in
*done*) echo done > done.md;;
*fails*) exit 3;;
*reached*) echo x > reached.md;;
esac"""
LINES: dict[str, tuple[str, int]] = {
    "complete": ("Create done.md", 0),
    "question": ("create it", 2),
    "not done": ("Create missing.md", 2),
    "dangerous": ("Delete the whole database", 2),
    "error": ("Create fails.md", 1),
    "unknown command": ("/nonsense", 1),
    "bad argument": ("/accept", 1),
    "list": ("/tasks", 0),
}
WORST = (1, 2, 0)


def script(program: Program, project: Path, claude: ClaudeScript, *lines: str) -> int:
    text = "\n".join(("/start", *lines, "/exit", ""))
    env = claude.does(BODY)
    ran = program("repl", "--non-interactive", "--project", str(project), stdin=text, env=env)
    assert "Traceback" not in ran.out + ran.err
    return ran.code


@pytest.mark.parametrize("one", LINES)
def test_one_outcome(program: Program, project: Path, claude: ClaudeScript, one: str) -> None:
    """R-29 Deterministic Exit Code: each outcome by itself, and nothing at all."""
    line, code = LINES[one]
    assert script(program, project, claude, line) == code


@pytest.mark.parametrize(
    "mix",
    [
        ("complete", "question"),
        ("error", "complete"),
        ("complete", "unknown command"),
        ("question", "error"),
        ("unknown command", "question"),
        ("complete", "error", "not done"),
    ],
    ids=", ".join,
)
def test_a_mix_of_outcomes(
    program: Program, project: Path, claude: ClaudeScript, mix: tuple[str, ...]
) -> None:
    """R-29 Deterministic Exit Code: ERROR over INCOMPLETE over COMPLETE, in whatever order."""
    lines, codes = zip(*(LINES[name] for name in mix), strict=True)
    worst = next(code for code in WORST if code in codes)
    assert script(program, project, claude, *lines) == worst


def test_nothing_done_is_fine(program: Program, project: Path, claude: ClaudeScript) -> None:
    assert script(program, project, claude) == 0


def test_an_answered_question_leaves_no_trace_in_the_code(
    program: Program, project: Path, claude: ClaudeScript
) -> None:
    assert script(program, project, claude, "create it", "/reply done.md", "/tasks") == 0


def test_the_line_after_a_question_is_still_carried_out(
    program: Program, project: Path, claude: ClaudeScript
) -> None:
    assert script(program, project, claude, "create it", "Create reached.md") == 2
    assert (project / "reached.md").is_file()
