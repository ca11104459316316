"""An executor that gets stuck: the task ends, the log says why, the next line is read."""

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from pm_orchestrator.testing.programs.called_program import Program

RESULT = '{"type":"result","subtype":"success","is_error":false,"result":"Done.","num_turns":1}'


def claude(tmp_path: Path, body: str) -> dict[str, str]:
    folder = tmp_path / "bin"
    folder.mkdir()
    script = folder / "claude"
    script.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    script.chmod(0o755)
    return {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}


def logs(project: Path) -> list[dict[str, Any]]:
    found = sorted((project / ".pm-orchestrator" / "session" / "logs").glob("task-*.json"))
    return [json.loads(path.read_text(encoding="utf-8")) for path in found]


CLOSED = "REPL_FAIL_CLOSED"
TICKS = "while :; do echo tick; sleep 0.1; done"


@pytest.mark.parametrize(
    ("body", "reason", "by", "pattern"),
    [
        ("printf '? Select one'; sleep 60", "INTERACTIVE_PROMPT", CLOSED, "? Select"),
        pytest.param(TICKS, "TIMEOUT", "TIMEOUT", "", marks=pytest.mark.long),
        pytest.param("sleep 60", "TIMEOUT", "TIMEOUT", "", marks=pytest.mark.long),
        ("read x || { echo 'EOF when reading' >&2; exit 1; }", "STDIN_REQUIRED", CLOSED, "EOF"),
    ],
)
def test_a_stuck_executor_is_an_error_and_the_script_goes_on(
    program: Program, project: Path, tmp_path: Path, body: str, reason: str, by: str, pattern: str
) -> None:
    """R-34, R-35 Fail closed: ended, ERROR, in the log; the following commands are processed."""
    env = claude(tmp_path, body)
    script = "/start\nCreate README.md\n/logs\n/tasks\n/exit\n"
    timers = ("--executor-timeout", "4000", "--progress-timeout", "3000")
    begun = time.monotonic()
    ran = program(
        "repl", "--non-interactive", *timers, "--project", str(project), stdin=script, env=env
    )
    assert time.monotonic() - begun < 12
    assert ran.code == 1, ran.out + ran.err
    assert "ERROR E503" in ran.err
    assert f"blocked: {reason} after " in ran.out
    assert "1 failed" in ran.out
    (log,) = logs(project)
    assert (log["status"], log["executor_blocked"]) == ("error", True)
    assert (log["blocked_reason"], log["terminated_by"]) == (reason, by)
    assert isinstance(log["timeout_ms"], int)
    events = {event["event_type"]: event["content"] for event in log["events"]}
    assert events["EXECUTOR_BLOCKED"]["blocked_reason"] == reason
    assert (events["EXECUTOR_BLOCKED"]["detected_pattern"] or "").startswith(pattern)
    raw = project / ".claude" / events["EXECUTOR_OUTPUT"]["raw_output_ref"]
    assert raw.is_file()


@pytest.mark.long
def test_a_question_in_prose_is_no_prompt(program: Program, project: Path, tmp_path: Path) -> None:
    said = '{"type":"assistant","message":{"content":[{"type":"text","text":"? Go on [Y/n]"}]}}'
    env = claude(tmp_path, f"echo '{said}'; sleep 2.3; echo '# R' > README.md; echo '{RESULT}'")
    ran = program("run", "Create README.md", "--solo", "--project", str(project), env=env)
    assert ran.code == 0, ran.out + ran.err
    (log,) = logs(project)
    assert "executor_blocked" not in log


@pytest.mark.long
def test_a_budget_that_runs_out_keeps_the_work(
    program: Program, project: Path, tmp_path: Path
) -> None:
    settings = project / ".claude" / "settings.json"
    document = json.loads(settings.read_text(encoding="utf-8"))
    document["task_limits"]["seconds"] = 30
    settings.write_text(json.dumps(document), encoding="utf-8")
    env = claude(tmp_path, "echo '# R' > README.md; while :; do echo tick; sleep 1; done")
    ran = program("run", "Create README.md", "--solo", "--project", str(project), env=env)
    assert ran.code == 2, ran.out + ran.err
    assert "30 seconds" in ran.out
    assert (project / "README.md").is_file()


@pytest.mark.long
def test_a_flood_leaves_a_bounded_record(program: Program, project: Path, tmp_path: Path) -> None:
    env = claude(tmp_path, f"echo '# R' > README.md; yes | head -c 300000000; echo '{RESULT}'")
    ran = program("run", "Create README.md", "--solo", "--project", str(project), env=env)
    assert ran.code == 0, ran.out + ran.err
    size = sum(f.stat().st_size for f in (project / ".claude").rglob("*") if f.is_file())
    assert size < 2_000_000


def test_an_answer_continues_the_conversation(
    program: Program, project: Path, tmp_path: Path
) -> None:
    body = """
echo '{"type":"system","subtype":"init","session_id":"conv-7"}'
case "$*" in
*"--resume conv-7"*) echo '# R' > README.md ;;
*) ;;
esac
"""
    env = claude(tmp_path, f"{body}\necho '{RESULT}'")
    ran = program("run", "Create README.md", "--solo", "--project", str(project), env=env)
    assert ran.code == 2
    (log,) = logs(project)
    session = log["session_id"]
    assert program("approve", session, "--project", str(project), env=env).code == 0
    ran = program("continue", session, "--project", str(project), env=env)
    assert ran.code == 0, ran.out + ran.err


@pytest.mark.parametrize("name", ["PM_ENV", "NODE_ENV"])
def test_the_stub_is_refused_in_production(program: Program, project: Path, name: str) -> None:
    """R-40 Test Executor Production Safety: refused before anything else."""
    env = {name: "production", "PM_EXECUTOR_MODE": "recovery-stub"}
    spelt = {name: " Production", "PM_EXECUTOR_MODE": "Recovery-Stub "}
    for arguments, given in (
        (("repl",), env),
        (("run", "Create README.md", "--solo"), spelt),
        (("--help",), env),
        (("--version",), spelt),
    ):
        ran = program(*arguments, env=given)
        assert (ran.code, ran.out) == (1, "")
        assert ran.err == "[FATAL] recovery-stub is forbidden in production\n"


@pytest.mark.parametrize("arguments", [("--version",), ("run", "Create README.md", "--solo")])
def test_a_mode_that_there_is_not_is_refused(program: Program, arguments: tuple[str, ...]) -> None:
    """R-40 Test Executor Production Safety: a misspelt mode would silently be none."""
    ran = program(*arguments, env={"PM_EXECUTOR_MODE": "recovery_stub"})
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("ERROR E503: PM_EXECUTOR_MODE")
    assert program("--version", env={"PM_EXECUTOR_MODE": " "}).code == 0


@pytest.mark.parametrize(
    ("scenario", "reason"),
    [("timeout", "TIMEOUT"), ("blocked", "INTERACTIVE_PROMPT"), ("fail-closed", None)],
)
def test_the_stub_says_that_it_is_on(
    program: Program, project: Path, scenario: str, reason: str | None
) -> None:
    """R-40 Test Executor Production Safety: a warning at the start, the marker in its evidence."""
    env = {"PM_EXECUTOR_MODE": "recovery-stub", "PM_RECOVERY_SCENARIO": scenario}
    script = "/start\nCreate README.md\n/exit\n"
    ran = program("repl", "--non-interactive", "--project", str(project), stdin=script, env=env)
    assert ran.code == 1
    assert ran.out.startswith("WARNING: recovery-stub enabled (test-only)\nmode=recovery-stub\n")
    (log,) = logs(project)
    assert log["status"] == "error"
    assert log.get("blocked_reason") == reason
    (output,) = (e["content"] for e in log["events"] if e["event_type"] == "EXECUTOR_OUTPUT")
    raw = project / ".claude" / output["raw_output_ref"]
    assert "mode=recovery-stub" in raw.read_text(encoding="utf-8")


def test_odd_bytes_do_no_harm(program: Program, project: Path, tmp_path: Path) -> None:
    odd = r"printf '\377\376\000\033[2J\033]0;title\007 {\"type\": \000\n'"
    said = RESULT.replace("Done.", r"Done.\u0000\u001b[2J\ud800")
    env = claude(tmp_path, f"{odd}; {odd} >&2; echo '# R' > README.md; {odd}; echo '{said}'")
    ran = program("run", "Create README.md", "--solo", "--project", str(project), env=env)
    assert ran.code == 0, ran.out + ran.err
    assert "\x1b" not in ran.out
    assert program("evidence", "verify", "--project", str(project)).code == 0
    assert "\x1b" not in program("logs", "task-001", "--full", "--project", str(project)).out
