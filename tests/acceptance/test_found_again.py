"""Finding again what was done, what runs now, and what was cut off."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pm_orchestrator.testing.programs.called_program import Program
from pm_orchestrator.testing.programs.drawn_repl import WAITS
from pm_orchestrator.testing.programs.drawn_terminal import DrawnTerminal
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript, python_project

AT_WORK = WAITS.replace("echo hello > hello.md", "touch a.md")


def at_work(environment: dict[str, str], project: Path) -> "subprocess.Popen[bytes]":
    """A task of another process that has got to work."""
    arguments = ["run", "--solo", "Create an empty a.md", "--project", str(project)]
    process = subprocess.Popen(
        [sys.executable, "-m", "pm_orchestrator", *arguments],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 20
    while not (project.parent / "working").exists():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return process


def test_the_log_of_a_task_is_found_in_any_session(
    program: Program, project: Path, claude: ClaudeScript
) -> None:
    at = ("--project", str(project))
    env = claude.does("touch a.md", says="Here you are.")
    first = program("run", "--solo", "Create an empty a.md", "--json", *at, env=env).json
    program("run", "--solo", "Create an empty b.md", *at, env=claude.does("touch b.md"))
    task = first["task_id"]
    page = program("logs", task, *at)
    assert f"[{task}]" in page.out
    assert "│ Here you are." in page.out
    assert program("logs", "task-001", *at).out.count(task) == 0
    assert program("logs", task, "--json", *at).json["session_id"] == first["session_id"]
    shared = program("logs", "task-", *at)
    assert (shared.code, "begins the ids of 2 tasks" in shared.err) == (1, True)
    assert program("logs", "x", *at).err.startswith("ERROR E210: no task of this project")
    told = program("repl", "--non-interactive", *at, stdin=f"/start\n/logs {task}\n/diff {task}\n")
    assert told.code == 0, told.err
    assert f"[{task}]" in told.out
    assert "new  a.md" in told.out
    undone = program("undo", task, *at)
    assert (undone.code, (project / "a.md").exists()) == (0, False), undone.err


def test_a_log_shows_what_a_failed_gate_printed(
    program: Program, project: Path, claude: ClaudeScript
) -> None:
    python_project(project)
    at = ("--project", str(project))
    breaks = claude.does("sed -i 's/a + b/a - b/' calc.py", says="It adds better now.")
    task = program("run", "--solo", "Change add in calc.py", "--json", *at, env=breaks).json
    assert task["status"] == "INCOMPLETE"
    for lang, heading in (("en", "What test printed"), ("ja", "test の出力")):
        page = program("logs", task["task_id"], "--lang", lang, *at).out
        below = page[page.index(heading) :]
        assert "│ AssertionError: -1 != 3" in below


def test_what_runs_now_is_watched_and_not_what_began_last(
    program: Program, project: Path, environment: dict[str, str], claude: ClaudeScript
) -> None:
    at = ("--project", str(project))
    process = at_work({**environment, **claude.does(AT_WORK, says="All written.")}, project)
    try:
        program("start", *at)
        with DrawnTerminal(project, environment, "watch") as screen:
            # As where it runs: what the executor says, and below it the line that moves.
            screen.wait_for("  › Write hello.md")
            screen.wait_for("4/7 Execution")
            screen.wait_for("1,234 tokens")
            (project.parent / "go").touch()
            assert screen.ended() == 0, screen.text
            assert "[RESULT]  COMPLETE" in screen.text
            assert "│ All written." in screen.text
            assert "4/7" not in screen.text
    finally:
        (project.parent / "go").touch()
        process.wait(20)
    again = program("watch", *at)
    assert again.code == 0
    assert "nothing more happens in run_001" in again.err
    assert "  › Write hello.md" in again.out
    assert "{" not in again.out


@pytest.mark.parametrize("start", ["run", "start", "script", "conversation"])
def test_the_next_start_says_what_was_cut_off(
    program: Program,
    project: Path,
    environment: dict[str, str],
    claude: ClaudeScript,
    start: str,
) -> None:
    at = ("--project", str(project))
    process = at_work({**environment, **claude.does(AT_WORK)}, project)
    process.send_signal(signal.SIGKILL)
    process.wait()
    (task,) = program("runs", "--json", *at).json
    env, session = claude.does("touch b.md"), task["session_id"]
    if start == "conversation":
        with DrawnTerminal(project, {**environment, **env}, "repl", columns=120) as screen:
            screen.wait_for("\n>")
            said = screen.text
        assert f"`/continue {session}` goes on" in said
    else:
        calls = {
            "run": ("run", "--solo", "Create an empty b.md"),
            "start": ("start",),
            "script": ("repl", "--non-interactive"),
        }
        said = program(*calls[start], *at, env=env).err
        place = "/" if start == "script" else "pm-orchestrator "
        assert f"`{place}approve {session}`, then `{place}continue {session}` go on" in said
    assert f"cut off: {task['task_id']} (“Create an empty a.md”)" in said
    assert program("start", *at).err == ""
