"""Work that was stopped in the middle is seen all the same: in the log, the report and `/logs`."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from pm_orchestrator.testing.programs.called_program import Program
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript, python_project

pytestmark = [pytest.mark.timeout(60), pytest.mark.unmeasured]

HALF = "echo half > work.py; rm old.txt"
SEEN = {"old.txt": False, "work.py": True}
ASKS = json.dumps(
    {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "result": "I need to know the name.",
        "permission_denials": [
            {
                "tool_name": "AskUserQuestion",
                "tool_input": {"questions": [{"question": "Which name?"}]},
            }
        ],
    }
)
ENDS: dict[str, tuple[str, str | None, int, str, int]] = {
    "crash": (HALF, "boom", 1, "error", 1),
    "question": (HALF, ASKS, 0, "incomplete", 2),
    "timer": (f"{HALF}; while :; do echo tick; sleep 0.1; done", None, 0, "error", 1),
    "prompt": (f"{HALF}; printf 'Continue? [y/N] '; sleep 30", None, 0, "error", 1),
}


@pytest.fixture
def where(project: Path) -> tuple[str, str]:
    python_project(project)
    return "--project", str(project)


def seen_in(log: Any) -> dict[str, bool]:
    return {file["path"]: file["exists"] for file in log["verified_files"]}


@pytest.mark.parametrize(
    "end",
    [
        "crash",
        "question",
        pytest.param("timer", marks=pytest.mark.long),
        pytest.param("prompt", marks=pytest.mark.long),
    ],
)
def test_half_written_files_are_on_record(
    program: Program, where: tuple[str, str], claude: ClaudeScript, end: str
) -> None:
    """R-8, R-31 Whatever ended the executor, the disk is looked at; the verdict stays its own."""
    body, last_word, exit_code, status, code = ENDS[end]
    env = claude.does(body, ends_with=last_word, exit_code=exit_code)
    script = "/start\nCreate work.py and other.py\n/logs\n/exit\n"
    timer = ("--executor-timeout", "2500") if end == "timer" else ()
    ran = program("repl", "--non-interactive", *timer, *where, stdin=script, env=env)
    assert ran.code == code, ran.out + ran.err
    task = program("logs", "--json", *where).json[0]
    assert (task["status"], task["files_modified_count"]) == (status, 1)
    log = program("logs", task["external_task_id"], "--json", *where).json
    assert seen_in(log) == SEEN
    assert log["artifacts"]["files_touched"] == list(SEEN)
    report = program("status", "--json", *where).json["report"]
    assert [Path(file).name for file in report["tasks"][0]["files_modified"]] == list(SEEN)
    assert report["evidence_summary"]["files_missing"] == ["other.py"]
    assert program("evidence", "verify", *where).code == 0


def test_what_a_person_stopped_can_be_accepted(
    program: Program,
    environment: dict[str, str],
    where: tuple[str, str],
    claude: ClaudeScript,
    project: Path,
) -> None:
    """R-8, R-31 Stopped by Ctrl-C, by a kill, or not at all: the same files are seen."""
    run = ["run", "Create work.py and other.py", "--solo", *where]
    env = {**environment, **claude.does(f"{HALF}; touch build.log; sleep 60")}
    (project / ".gitignore").write_text("build.log\n", encoding="utf-8")
    begun = project / "build.log"
    assert _ended_by(signal.SIGINT, run, env, begun) == 2
    task = program("logs", "--json", *where).json[0]
    log = program("logs", task["external_task_id"], "--json", *where).json
    assert (log["status"], log["terminated_by"], seen_in(log)) == ("incomplete", "USER", SEEN)
    done = program("accept", log["task_id"], "--json", *where)
    assert (done.code, done.json["accepted"]) == (0, ["asked", "tree"]), done.out + done.err
    assert program("undo", log["task_id"], *where).code == 0

    _ended_by(signal.SIGKILL, run, env, begun)
    session = program("status", "--json", *where).json["session"]["session_id"]
    assert program("approve", session, *where).code == 0
    task = program("logs", "--json", *where).json[0]
    log = program("logs", task["external_task_id"], "--json", *where).json
    assert (log["status"], seen_in(log)) == ("error", SEEN)
    # A run that stops before it begins takes nothing away from what is known.
    asked = program("continue", session, *where, env=claude.does("true", ends_with=ASKS))
    assert asked.code == 2, asked.out + asked.err
    log = program("logs", log["task_id"], "--json", *where).json
    assert (log["status"], seen_in(log)) == ("incomplete", SEEN)


def _ended_by(number: signal.Signals, words: list[str], env: dict[str, str], begun: Path) -> int:
    """Start the program, and end it once its executor has done half of the work."""
    begun.unlink(missing_ok=True)
    called = subprocess.Popen(
        [sys.executable, "-m", "pm_orchestrator", *words],
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        patience = time.monotonic() + 30
        while not begun.exists():
            assert time.monotonic() < patience
            time.sleep(0.02)
        called.send_signal(number)
        return called.wait(30)
    finally:
        called.kill()
        called.wait()
