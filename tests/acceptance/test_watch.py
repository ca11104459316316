"""`watch` and `runs`: following a task from another process, until it ends and no longer."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pm_orchestrator.testing.programs.called_program import Program
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript

WRITES = "echo '# Readme' > README.md"


class Background:
    """A call of the program that goes on while others are made."""

    def __init__(self, environment: dict[str, str], *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "pm_orchestrator", *arguments],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            bufsize=0,  # what follows the first line is left for the end
        )
        self._first = b""

    def begins(self) -> None:
        """Wait for its first line, which names the run."""
        assert self.process.stdout is not None
        self._first = self.process.stdout.readline()
        assert b"run_001" in self._first

    def end(self) -> tuple[int, str]:
        out, _ = self.process.communicate(timeout=30)
        return self.process.returncode, (self._first + out).decode()


@pytest.fixture
def started() -> Iterator[list[Background]]:
    calls: list[Background] = []
    yield calls
    for call in calls:
        if call.process.poll() is None:
            call.process.kill()
            call.process.communicate()


def wait_for(condition: str, path: Path) -> None:
    deadline = time.monotonic() + 20
    while not (path.exists() and condition in path.read_text("utf-8")):
        assert time.monotonic() < deadline, f"no {condition} in {path}"
        time.sleep(0.05)


def run_in_background(
    started: list[Background], environment: dict[str, str], project: Path
) -> Background:
    call = Background(environment, "run", "--solo", "Create README.md", "--project", str(project))
    started.append(call)
    wait_for("EXECUTION", project / ".pm-orchestrator/runtime/runs/run_001/events.jsonl")
    return call


@pytest.mark.parametrize(
    ("body", "code", "word"),
    [
        (WRITES, 0, "COMPLETE"),
        ("true", 2, "INCOMPLETE"),
        ("exit 7", 1, "ERROR"),
    ],
)
def test_the_exit_code_is_that_of_the_task(
    program: Program,
    project: Path,
    claude: ClaudeScript,
    body: str,
    code: int,
    word: str,
) -> None:
    at = ("--project", str(project))
    env = claude.does(body)
    assert program("run", "--solo", "Create README.md", *at, env=env).code == code
    (line,) = program("runs", "--json", *at).json
    assert (line["status"], line["mode"]) == (word, "solo")
    watched = program("watch", "--json", *at)
    assert watched.code == code
    lines = [json.loads(text) for text in watched.out.splitlines()]
    assert {one["source"] for one in lines[:-1]} == {"run", "task"}
    assert (lines[-1]["source"], lines[-1]["exit_code"]) == ("end", code)
    times = [one["event"]["timestamp"] for one in lines[:-1]]
    assert times == sorted(times)


def test_a_task_is_found_by_any_of_its_names(
    program: Program, project: Path, claude: ClaudeScript
) -> None:
    at = ("--project", str(project))
    task = program("run", "--solo", "Create a.md", "--json", *at, env=claude.does("true")).json
    for wanted in ([], [task["run_id"]], [task["task_id"]]):
        watched = program("watch", *wanted, *at)
        assert watched.code == 2, watched.out + watched.err
        assert "[RESULT]  INCOMPLETE\n" in watched.out
        assert "1/7 Requirement analysis" in watched.out
        assert "EXECUTOR DISPATCH" not in watched.out
    assert "EXECUTOR DISPATCH" in program("watch", "task-001", "--full", *at).out


def test_a_running_task_is_followed_to_its_end(
    program: Program,
    project: Path,
    environment: dict[str, str],
    claude: ClaudeScript,
    started: list[Background],
) -> None:
    env = {**environment, **claude.does(f"while [ ! -e go ]; do sleep 0.1; done; {WRITES}")}
    call = run_in_background(started, env, project)
    watching = Background(environment, "watch", "--project", str(project))
    started.append(watching)
    (line,) = program("runs", "--json", "--project", str(project)).json
    assert line["status"] == "IN_PROGRESS"
    watching.begins()
    assert watching.process.poll() is None  # it waits with the task
    (project / "go").touch()
    assert call.end()[0] == 0
    code, out = watching.end()
    assert code == 0
    assert "4/7 Execution" in out
    assert "[RESULT]  COMPLETE" in out


def test_ctrl_c_leaves_the_watching_and_not_the_work(
    project: Path,
    environment: dict[str, str],
    claude: ClaudeScript,
    started: list[Background],
) -> None:
    env = {**environment, **claude.does(f"while [ ! -e go ]; do sleep 0.1; done; {WRITES}")}
    call = run_in_background(started, env, project)
    watching = Background(environment, "watch", "--lang", "ja", "--project", str(project))
    started.append(watching)
    watching.begins()
    watching.process.send_signal(signal.SIGINT)
    code, out = watching.end()
    assert (code, "タスクは継続中" in out) == (2, True)
    assert call.process.poll() is None
    (project / "go").touch()
    assert call.end()[0] == 0


def test_a_task_whose_process_died_is_not_waited_for(
    program: Program,
    project: Path,
    environment: dict[str, str],
    claude: ClaudeScript,
    started: list[Background],
) -> None:
    env = {**environment, **claude.does("sleep 30")}
    call = run_in_background(started, env, project)
    watching = Background(environment, "watch", "--project", str(project))
    started.append(watching)
    watching.begins()
    os.kill(call.process.pid, signal.SIGKILL)
    call.end()
    code, out = watching.end()
    assert code == 1
    assert "[RESULT]  ERROR" in out
    (line,) = program("runs", "--json", "--project", str(project)).json
    assert line["status"] == "ERROR"


def test_an_earlier_run_of_a_task_that_went_on(
    program: Program, project: Path, claude: ClaudeScript
) -> None:
    at = ("--project", str(project))
    ended = program("run", "--solo", "Create README.md", "--json", *at, env=claude.does("true"))
    session = ended.json["session_id"]
    assert program("approve", session, *at).code == 0
    assert program("continue", session, *at, env=claude.does(WRITES)).code == 0
    first, second = program("runs", "--json", *at).json
    assert [first["status"], second["status"]] == ["INCOMPLETE", "COMPLETE"]
    assert first["task_id"] is None
    earlier = program("watch", first["run_id"], "--json", *at)
    assert (earlier.code, json.loads(earlier.out.splitlines()[-1])["status"]) == (2, "INCOMPLETE")
    later = program("watch", second["run_id"], "--json", *at)
    assert later.code == 0
    begun = [json.loads(line) for line in later.out.splitlines()]
    # Of the task's log only what belongs to this run.
    assert all(e["event"]["timestamp"] >= second["started_at"] for e in begun[:-1])


def test_in_the_conversation(program: Program, project: Path, claude: ClaudeScript) -> None:
    at = ("--project", str(project))
    nothing = program("repl", *at, stdin="/runs\n/watch\n")
    assert nothing.code == 1
    assert "There are no runs yet." in nothing.out
    assert nothing.err.startswith("ERROR E210: there is nothing to watch")
    assert program("run", "--solo", "Create README.md", *at, env=claude.does("true")).code == 2
    ran = program("repl", *at, stdin="/runs\n/watch\n/watch task-001\n")
    # What is only watched does not count as work of this conversation.
    assert ran.code == 0, ran.err
    assert "run_001  solo  INCOMPLETE" in ran.out
    assert ran.out.count("[RESULT]  INCOMPLETE") == 2


def test_nothing_to_watch(program: Program, project: Path) -> None:
    at = ("--project", str(project))
    assert program("runs", *at).out == "There are no runs yet.\n"
    for wanted in ([], ["task-404"], ["run_404"]):
        ran = program("watch", *wanted, *at)
        assert (ran.code, ran.err[:12]) == (1, "ERROR E210: ")
