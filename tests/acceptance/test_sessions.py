"""Sessions through the program: start, status, approve, continue, reply, and who owns them."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pm_orchestrator.testing.programs.called_program import Program
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript

NOTHING_DONE = "true"
WRITES = "echo '# Readme' > README.md"


def claude(folder: Path, body: str) -> dict[str, str]:
    return ClaudeScript(folder / "bin").does(body)


def repl_json(project: Path) -> dict[str, str | None]:
    content: dict[str, str | None] = json.loads((project / ".claude/repl.json").read_text("utf-8"))
    return content


def test_start_begins_a_session_that_status_shows(program: Program, project: Path) -> None:
    started = program("start", str(project), "--json")
    assert started.code == 0, started.err
    session = started.json["session"]
    assert session["target_project"] == str(project)
    assert session["status"] == "READY"
    assert started.json["overall_status"] == "INCOMPLETE"
    shown = program("status", session["session_id"], "--project", str(project))
    assert shown.code == 0, shown.err
    assert f"session_id: {session['session_id']}\n" in shown.out
    assert "next_action: true" in shown.out
    folder = project / ".claude/logs/sessions" / session["session_id"]
    metadata = json.loads((folder / "session.json").read_text("utf-8"))
    assert list(metadata) == ["session_id", "started_at", "threads", "runs"]
    # Before any task, and of the same moment: the session's own index, and the one of all.
    began = metadata["started_at"]
    index = {"session_id": session["session_id"], "created_at": began, "updated_at": began}
    assert json.loads((folder / "index.json").read_text("utf-8")) == {**index, "entries": []}
    everything = json.loads((project / ".claude/logs/index.json").read_text("utf-8"))
    assert everything == [{**index, "entries": []}]


@pytest.mark.parametrize("command", ["status", "approve", "continue"])
def test_an_unknown_session_is_an_error(program: Program, project: Path, command: str) -> None:
    ran = program(command, "session-no", "--project", str(project))
    assert ran.code == 1
    assert ran.err.startswith("ERROR E210: ")


def unfinished(program: Program, project: Path, env: dict[str, str]) -> tuple[str, str]:
    ran = program("run", "Create README.md", "--solo", "--json", "--project", str(project), env=env)
    assert ran.code == 2, ran.out + ran.err
    return ran.json["session_id"], ran.json["task_id"]


def test_nothing_goes_on_without_approval(program: Program, project: Path, tmp_path: Path) -> None:
    """R-16 Explicit Continuation Control: approval once, for something unfinished, or E207."""
    at = ("--project", str(project))
    session, task = unfinished(program, project, claude(tmp_path, NOTHING_DONE))
    env = claude(tmp_path, WRITES)
    refused = program("continue", session, *at, env=env)
    assert refused.code == 1
    assert refused.err.startswith("ERROR E207: ")
    assert not (project / "README.md").exists()

    approved = program("approve", session, *at, "--json", env=env)
    assert approved.code == 0, approved.err
    assert approved.json["session"]["continuation_approved"] is True
    went_on = program("continue", session, *at, "--json", env=env)
    assert went_on.code == 0, went_on.out + went_on.err
    assert (went_on.json["task_id"], went_on.json["status"]) == (task, "COMPLETE")

    shown = program("status", session, *at, "--json", env=env).json
    assert [run["trigger"] for run in shown["runs"]] == ["USER_INPUT", "CONTINUATION"]
    assert all(run["completed_at"] for run in shown["runs"])
    assert shown["session"]["continuation_approved"] is False
    assert shown["session"]["status"] == "READY"
    assert len(shown["tasks"]) == 1
    for command in ("approve", "continue"):
        again = program(command, session, *at, env=env)
        assert (again.code, again.err[:11]) == (1, "ERROR E207:")
    by_run = program("status", shown["runs"][1]["run_id"], *at, "--json", env=env).json
    assert [run["trigger"] for run in by_run["runs"]] == ["CONTINUATION"]


def test_an_answer_continues_the_same_task(program: Program, project: Path, tmp_path: Path) -> None:
    """R-38 Current Task ID Clearing: an answered task runs under its id and ends once more."""
    at = ("--project", str(project))
    env = claude(tmp_path, "cp .claude/repl.json seen.json; " + WRITES)
    asked = program("run", "create it", "--solo", *at, env=env)
    assert asked.code == 2, asked.out + asked.err
    waiting = program("status", *at, "--json", env=env).json
    assert waiting["next_action"] is True
    assert waiting["next_action_reason"]
    task = waiting["waiting_task_id"]
    assert repl_json(project)["last_task_id"] == task

    for command in ("approve", "continue"):
        refused = program(command, waiting["session"]["session_id"], *at, env=env)
        assert (refused.code, refused.err[:11]) == (1, "ERROR E207:")

    answered = program("reply", task, "README.md", *at, "--json", env=env)
    assert answered.code == 0, answered.out + answered.err
    assert answered.json["task_id"] == task
    seen = json.loads((project / "seen.json").read_text("utf-8"))
    assert (seen["current_task_id"], seen["last_task_id"]) == (task, None)
    after = repl_json(project)
    assert (after["current_task_id"], after["last_task_id"]) == (None, task)

    log = program("logs", task, "--json", *at, env=env).json
    kinds = [event["event_type"] for event in log["events"]]
    wanted = ["USER_INPUT", "RUNNER_CLARIFICATION", "USER_RESPONSE", "TASK_COMPLETED"]
    assert [kind for kind in kinds if kind in wanted] == wanted
    assert log["summary"]["total_events"] == len(kinds)
    shown = program("status", *at, "--json", env=env).json
    assert [run["trigger"] for run in shown["runs"]] == ["USER_INPUT", "USER_RESPONSE"]
    assert shown["report"]["tasks"][0]["requirements"] == ["create it\nAnswer: README.md"]
    again = program("reply", task, "README.md", *at, env=env)
    assert (again.code, again.err[:11]) == (1, "ERROR E210:")


ENDS: dict[str, tuple[str, str, str, bool]] = {
    "done": ("Create README.md", WRITES, "COMPLETE", True),
    "not done": ("Create README.md", NOTHING_DONE, "INCOMPLETE", True),
    "failed": ("Create README.md", "exit 3", "ERROR", False),
    "asked": ("create it", WRITES, "INCOMPLETE", True),
}


@pytest.mark.parametrize("end", ENDS)
def test_every_end_has_a_whole_report(
    program: Program, project: Path, tmp_path: Path, end: str
) -> None:
    """R-10 Comprehensive Final Reporting: status, reasons, evidence, next action at every end."""
    instruction, body, status, next_action = ENDS[end]
    at = ("--project", str(project))
    ran = program("run", instruction, "--solo", *at, "--json", env=claude(tmp_path, body))
    shown = program("status", *at, "--json").json
    report = shown["report"]
    assert report["overall_status"] == status, ran.out + ran.err
    assert shown["runs"][-1]["status"] == ("FAILED" if status == "ERROR" else "COMPLETED")
    assert report["next_action"] is next_action
    assert report["next_action_reason"]
    assert bool(report["incomplete_task_reasons"]) == (status != "COMPLETE")
    (task,) = report["tasks"]
    assert task["status"] == status
    assert report["evidence_inventory"]["total_evidence_items"] == len(task["evidence_refs"]) > 0
    assert report["evidence_inventory"]["integrity_failures"] == []
    if ran.code != 1 and end != "asked":
        assert ran.json["report"] == report
    result = ran.json["result"]
    # The result of `05` is there for every end, with the question where there is one.
    assert (result["task_id"], result["status"]) == (task["task_id"], status)
    assert result["clarification_needed"] is (end == "asked")
    assert ("clarification_question" in result) is (end == "asked")
    assert ("error" in result) is (end in {"not done", "failed"})
    assert result["completed_at"] >= result["started_at"]


def test_the_conversation_knows_the_same_commands(
    program: Program, project: Path, tmp_path: Path
) -> None:
    at = ("--project", str(project))
    env = claude(tmp_path, WRITES)
    script = "/start\ncreate it\n/status\n/reply README.md\n/status\n/tasks\n/exit\n"
    ran = program("repl", "--non-interactive", *at, stdin=script, env=env)
    assert "waiting_task: task-" in ran.out
    assert "[RESULT]  COMPLETE" in ran.out
    assert "1 completed, 0 running, 0 pending, 0 failed" in ran.out

    (project / "README.md").unlink()
    session, _ = unfinished(program, project, claude(tmp_path, NOTHING_DONE))
    env = claude(tmp_path, "echo more >> README.md")
    script = f"/continue {session}\n/approve\n/continue {session}\n/approve\n/exit\n"
    ran = program("repl", "--non-interactive", *at, stdin=script, env=env)
    assert ran.code == 1
    assert ran.err.count("ERROR E207:") == 2
    assert "[RESULT]  COMPLETE" in ran.out
    for line in ("/status", "/approve", "/reply yes", "/continue", "/continue session-no"):
        ran = program("repl", "--non-interactive", *at, stdin=f"{line}\n", env=env)
        assert (ran.code, ran.err[:11]) == (1, "ERROR E210:"), line


def wait_for(path: Path) -> None:
    for _ in range(200):
        if path.exists():
            return
        time.sleep(0.05)
    raise AssertionError(f"{path} never came")


def test_one_owner_at_a_time_and_a_dead_one_is_replaced(
    program: Program, project: Path, tmp_path: Path, environment: dict[str, str]
) -> None:
    at = ("--project", str(project))
    env = claude(tmp_path, "echo $$ > ../child; touch ../working; sleep 300")
    first = subprocess.Popen(
        [sys.executable, "-m", "pm_orchestrator", "run", "Create A.md", "--solo", *at],
        env={**environment, **env},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_for(tmp_path / "working")
        sessions = json.loads((project / ".claude/logs/index.json").read_text("utf-8"))
        name = sessions[-1]["session_id"]
        for command in (("run", "Create B.md", "--solo"), ("approve", name)):
            second = program(*command, *at, env=env)
            assert second.code == 1
            assert second.err.startswith("ERROR E402: ")
            assert f"process {first.pid}" in second.err
        running = program("status", *at, "--json").json
        assert running["session"]["status"] == "RUNNING"
        assert running["next_action_reason"] == "a task is at work"
    finally:
        first.send_signal(signal.SIGKILL)
        first.wait()
    dead = program("status", name, *at, "--json").json
    assert dead["session"]["status"] == "UNFINISHED"
    assert "process ended before the task did" in dead["next_action_reason"]
    owner = project / ".pm-orchestrator/runtime/state/owners" / f"{name}.json"
    before = json.loads(owner.read_text("utf-8"))["token"]
    approved = program("approve", name, *at, env=env)
    assert approved.code == 0, approved.err
    assert json.loads(owner.read_text("utf-8"))["token"] > before
    shown = program("status", name, *at, "--json").json
    assert [task["status"] for task in shown["tasks"]] == ["error"]
    assert repl_json(project)["current_task_id"] is None
    child = int((tmp_path / "child").read_text("utf-8"))
    for _ in range(100):
        if not Path(f"/proc/{child}").exists():
            break
        time.sleep(0.05)
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)
    env = claude(tmp_path, "echo a > A.md")
    assert program("continue", name, *at, env=env).code == 0


ADDS_ONE = (
    "mkdir ../inside || touch ../overlapped; sleep 0.4; "
    "echo $(($(cat count.md) + 1)) > count.md; rmdir ../inside; exit 3"
)


def test_who_writes_is_alone_and_leaves_the_place_free(
    program: Program, project: Path, tmp_path: Path, environment: dict[str, str]
) -> None:
    """R-6 File Lock Management: of several at once one writes, and failing sets it free."""
    (project / "count.md").write_text("0\n", encoding="utf-8")
    run = ("run", "Update count.md", "--solo", "--project", str(project))
    env = {**environment, **claude(tmp_path, ADDS_ONE)}
    wrote = 0
    for _ in range(2):
        calls = [
            subprocess.Popen(
                [sys.executable, "-m", "pm_orchestrator", *run],
                env=env,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            )
            for _ in range(3)
        ]
        said = [call.communicate(timeout=40)[1] for call in calls]
        refused = [words for words in said if words.startswith("ERROR E402: ")]
        wrote += len(said) - len(refused)
        assert len(refused) < len(calls), "somebody is let in"
        assert all("E503" in words for words in said if words not in refused), said
    assert not (tmp_path / "overlapped").exists()
    assert (project / "count.md").read_text("utf-8") == f"{wrote}\n", "no update is lost"
