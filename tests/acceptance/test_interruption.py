"""A person stops a running task: everything it started is gone, its records are closed."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from pm_orchestrator.domain.tasks.status import EXIT_INCOMPLETE
from pm_orchestrator.testing.programs.called_program import Program
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript

# Deaf to SIGTERM, with a child of its own session that is deaf as well.
DEAF = (
    "trap '' TERM INT HUP; echo half > work.py; "
    "setsid sh -c \"trap '' TERM INT HUP; echo \\$\\$ > {pids}/child; sleep 60 & sleep 60\" & "
    "echo $$ > {pids}/claude; sleep 60 & wait; sleep 60"
)


class Stopped:
    """A call that was interrupted."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err


def stop(
    arguments: list[str],
    environment: Mapping[str, str],
    ready: Callable[[], bool],
    signals: list[signal.Signals],
    stdin: str = "",
) -> Stopped:
    """Start the program, wait until it is `ready`, and send it the signals."""
    started = subprocess.Popen(
        [sys.executable, "-m", "pm_orchestrator", *arguments],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        assert started.stdin is not None
        started.stdin.write(stdin)
        started.stdin.flush()
        wait_until(lambda: ready() or started.poll() is not None)
        for number in signals:
            started.send_signal(number)
            time.sleep(0.4)
        out, err = started.communicate(timeout=20)
    finally:
        started.kill()
        started.wait()
    return Stopped(started.returncode, out, err)


def wait_until(holds: Callable[[], bool], seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


def alive(pids: Path) -> list[int]:
    """Those of the scripted agent's processes that still run."""
    found = [int(file.read_text(encoding="utf-8")) for file in pids.iterdir()]
    return [pid for pid in found if Path(f"/proc/{pid}").exists()]


def read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def log_of(project: Path) -> dict[str, Any]:
    (log,) = (project / ".pm-orchestrator" / "session" / "logs").glob("task-*.json")
    return read(log)


@pytest.fixture
def pids(tmp_path: Path) -> Path:
    folder = tmp_path / "pids"
    folder.mkdir()
    return folder


@pytest.fixture
def deaf(environment: dict[str, str], claude: ClaudeScript, pids: Path) -> dict[str, str]:
    return {**environment, **claude.does(DEAF.format(pids=pids))}


@pytest.mark.parametrize(
    "signals",
    [
        pytest.param([signal.SIGINT], marks=pytest.mark.long, id="ctrl-c"),
        pytest.param([signal.SIGTERM], marks=pytest.mark.long, id="term"),
        pytest.param([signal.SIGINT, signal.SIGINT, signal.SIGTERM], id="twice"),
    ],
)
def test_a_running_task_is_stopped_whole_and_closed(
    program: Program,
    project: Path,
    deaf: dict[str, str],
    pids: Path,
    signals: list[signal.Signals],
) -> None:
    (project / "notes.md").write_text("# Mine, not committed\n", encoding="utf-8")
    arguments = ["run", "Create work.py", "--solo", "--project", str(project)]
    ready = (pids / "claude").exists
    stopped = stop(arguments, deaf, lambda: ready() and (pids / "child").exists(), signals)
    assert stopped.code == 2, stopped.out + stopped.err
    assert alive(pids) == []
    log = log_of(project)
    assert (log["status"], log["terminated_by"]) == ("incomplete", "USER")
    assert "executor_blocked" not in log
    assert (project / "work.py").read_text(encoding="utf-8") == "half\n"
    task, session = log["task_id"], log["session_id"]
    assert f"undo {task}" in stopped.err
    assert "refs/pm/rescue/" in stopped.err
    assert f"continue {session}" in stopped.err
    # Everything is free again, and both cures work.
    assert program("undo", task, "--project", str(project)).code == 0
    assert not (project / "work.py").exists()
    assert "Mine" in (project / "notes.md").read_text(encoding="utf-8")
    assert program("evidence", "verify", "--project", str(project)).code == 0


@pytest.mark.long
def test_an_interrupted_task_goes_on_and_can_be_stopped_again(
    program: Program,
    project: Path,
    environment: dict[str, str],
    deaf: dict[str, str],
    claude: ClaudeScript,
    pids: Path,
) -> None:
    where = ["--project", str(project)]
    ready = (pids / "child").exists
    stop(["run", "Create work.py", "--solo", *where], deaf, ready, [signal.SIGINT])
    session = log_of(project)["session_id"]
    (pids / "child").unlink()
    assert program("approve", session, *where).code == 0
    stopped = stop(["continue", session, *where], deaf, ready, [signal.SIGINT])
    assert stopped.code == 2, stopped.out + stopped.err
    assert alive(pids) == []
    assert log_of(project)["terminated_by"] == "USER"
    assert program("approve", session, *where).code == 0
    env = claude.does("echo 'whole = 1' > work.py")
    ran = program("continue", session, *where, env=env)
    assert ran.code == 0, ran.out + ran.err
    assert "terminated_by" not in log_of(project)


def test_stopping_it_hides_nothing(
    program: Program,
    project: Path,
    environment: dict[str, str],
    claude: ClaudeScript,
    tmp_path: Path,
) -> None:
    """R-1, R-7 What was altered by then is seen and not used, and the execution is on record."""
    where = ["--project", str(project)]
    begun = tmp_path / "begun"
    plant = 'sed -i \'s/"selected_model": null/"selected_model": "evil"/\' .claude/repl.json'
    for harm, code, status in ((plant, 1, "error"), ("true", 2, "incomplete")):
        body = f"echo half > work.py; {harm}; touch {begun}; sleep 60"
        arguments = ["run", "Update work.py", "--solo", *where]
        (project / "work.py").write_text("", encoding="utf-8")
        begun.unlink(missing_ok=True)
        env = {**environment, **claude.does(body)}
        stopped = stop(arguments, env, begun.exists, [signal.SIGINT])
        assert stopped.code == code, stopped.out + stopped.err
        assert ("E505" in stopped.err) == (code == 1), stopped.err
        log = log_of(project)
        assert (log["status"], log["verified_files"][0]["path"]) == (status, "work.py")
        records = (project / ".claude" / "evidence" / f"{ref}.json" for ref in log["evidence_refs"])
        kinds = {(r["operation_type"], r["executor_id"]) for r in map(read, records)}
        assert ("execute", "claude-code") in kinds
        assert (("records_altered", "runner") in kinds) == (code == 1)
        assert read(project / ".claude" / "repl.json")["selected_model"] is None
    assert program("evidence", "verify", *where).code == 0


def test_ctrl_c_while_a_script_waits_for_its_next_line(
    project: Path, environment: dict[str, str]
) -> None:
    arguments = ["repl", "--non-interactive", "--project", str(project)]
    states = project / ".claude" / "logs" / "sessions"

    def waits() -> bool:
        return any(states.glob("*/session_state.json"))

    stopped = stop(arguments, environment, waits, [signal.SIGINT], "/start\n")
    assert stopped.code == 2, stopped.out + stopped.err
    assert "Traceback" not in stopped.err


def test_a_script_ends_with_its_task_whatever_became_of_it(
    project: Path, environment: dict[str, str], claude: ClaudeScript, tmp_path: Path
) -> None:
    begun = tmp_path / "begun"
    body = f"echo '{{}}' > .claude/repl.json; touch {begun}; sleep 60"
    script = "/start\nCreate work.py\nCreate other.py\n"
    arguments = ["repl", "--non-interactive", "--project", str(project)]
    env = {**environment, **claude.does(body)}
    stopped = stop(arguments, env, begun.exists, [signal.SIGINT], script)
    assert stopped.code == 2, stopped.out + stopped.err
    assert "E505" in stopped.err
    assert log_of(project)["status"] == "error"  # and there is no second task


@pytest.mark.long
def test_a_script_of_commands_ends_with_its_task(
    project: Path, deaf: dict[str, str], pids: Path
) -> None:
    script = "/start\nCreate work.py\nCreate other.py\n"
    arguments = ["repl", "--non-interactive", "--project", str(project)]
    stopped = stop(arguments, deaf, (pids / "child").exists, [signal.SIGINT], script)
    assert stopped.code == 2, stopped.out + stopped.err
    assert alive(pids) == []
    assert log_of(project)["terminated_by"] == "USER"  # and there is no second task


@pytest.mark.long
def test_while_a_gate_runs(
    program: Program,
    project: Path,
    environment: dict[str, str],
    claude: ClaudeScript,
    pids: Path,
) -> None:
    recipe = f"test:\n\t@trap '' TERM; echo $$$$ > {pids}/gate; sleep 60\n"
    (project / "Makefile").write_text(recipe, encoding="utf-8")
    env = {**environment, **claude.does("echo 'x = 1' > work.py")}
    arguments = ["run", "Create work.py", "--solo", "--project", str(project)]
    stopped = stop(arguments, env, (pids / "gate").exists, [signal.SIGINT])
    assert stopped.code == 2, stopped.out + stopped.err
    assert alive(pids) == []
    assert log_of(project)["terminated_by"] == "USER"
    assert list(Path(environment["TMPDIR"]).iterdir()) == []


@pytest.mark.long
@pytest.mark.parametrize("delay", [0.05 * n for n in range(24)])
def test_at_any_moment(
    program: Program,
    project: Path,
    environment: dict[str, str],
    claude: ClaudeScript,
    delay: float,
) -> None:
    env = {**environment, **claude.does("echo 'x = 1' > work.py; sleep 0.2")}
    arguments = ["run", "Create work.py", "--solo", "--project", str(project)]
    begun = time.monotonic() + 0.2 + delay
    stopped = stop(arguments, env, lambda: time.monotonic() > begun, [signal.SIGINT] * 2)
    assert stopped.code in {0, 2}, stopped.out + stopped.err
    assert "Traceback" not in stopped.err
    logs = list((project / ".claude" / "logs" / "sessions").glob("*/tasks/task-*.json"))
    for log in logs:
        assert json.loads(log.read_text(encoding="utf-8"))["status"] in {"incomplete", "complete"}
    unfinished = project / ".pm-orchestrator" / "runtime" / "state" / "unfinished.json"
    if unfinished.exists():
        assert json.loads(unfinished.read_text(encoding="utf-8"))["tasks"] == []
    again = program("run", "Update work.py", "--solo", "--project", str(project), env=env)
    assert again.code in {0, 2}, again.out + again.err


@pytest.mark.parametrize("module", ["msgspec", "pm_orchestrator.cli.program", "asyncio"])
def test_while_it_is_still_being_loaded(
    tmp_path: Path, project: Path, environment: dict[str, str], module: str
) -> None:
    hook = (
        "import os, signal, sys, time\n"
        "class Finder:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == {module!r}:\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "            time.sleep(5)\n"
        "sys.meta_path.insert(0, Finder())\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    )
    (tmp_path / "hooks").mkdir()
    (tmp_path / "hooks" / "sitecustomize.py").write_text(hook, encoding="utf-8")
    env = {**environment, "PYTHONPATH": str(tmp_path / "hooks")}
    arguments = ["run", "Create work.py", "--solo", "--project", str(project)]
    ran = subprocess.run(
        [sys.executable, "-m", "pm_orchestrator", *arguments],
        env=env,
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    assert ran.returncode == EXIT_INCOMPLETE, ran.stderr
    assert "Traceback" not in ran.stderr
    assert not (project / "work.py").exists()
