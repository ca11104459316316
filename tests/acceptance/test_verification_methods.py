"""The procedures by which the specification itself wants its properties to be verified.

`tests/architecture/test_property_map.py` says which test stands for which of them.
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from pm_orchestrator.testing.programs.called_program import Program
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript

README = "echo '# Readme' > README.md"


def conversation(program: Program, project: Path, env: dict[str, str], *lines: str) -> Any:
    arguments = ("repl", "--non-interactive", "--project", str(project))
    return program(*arguments, stdin="\n".join((*lines, "/exit")) + "\n", env=env)


def log_files(project: Path) -> list[Path]:
    return sorted((project / ".pm-orchestrator" / "session" / "logs").glob("task-*.json"))


def test_as_many_tasks_as_logs(program: Program, project: Path, claude: ClaudeScript) -> None:
    """R-27 /tasks-/logs Consistency: both lists have every task, whatever became of it."""
    env = claude.does(README)
    lines = ("/start", "READMEを作って README.md", "fix it", "Create NONE.md", "/tasks", "/logs")
    ran = conversation(program, project, env, *lines)
    tasks, _, logs = ran.out.partition("Task Logs")
    shown = re.findall(r"^.*(task-\d{13}): .*\[log: (task-\d{3})\]$", tasks, re.MULTILINE)
    assert len(shown) == 3, ran.out + ran.err
    assert len(log_files(project)) == len(shown)
    for external, log_id in shown:
        assert re.search(rf"{log_id}\W+{external}\W", logs), ran.out
    assert "No tasks logged" not in ran.out


def test_lists_that_disagree_are_an_error(
    program: Program, project: Path, claude: ClaudeScript
) -> None:
    """R-27 /tasks-/logs Consistency: a task whose log is gone is never passed over."""
    env = claude.does(README)
    ran = program("run", "Create README.md", "--solo", "--project", str(project), env=env)
    assert ran.code == 0, ran.out + ran.err
    session = program("status", "--json", "--project", str(project)).json["session"]["session_id"]
    (log,) = log_files(project)
    log.resolve().unlink()
    for arguments in (("status", session), ("continue", session), ("logs",)):
        ran = program(*arguments, "--project", str(project), env=env)
        assert (ran.code, ran.err[:12]) == (1, "ERROR E204: "), (arguments, ran.out, ran.err)


def test_another_process_can_follow_the_verified_files(
    program: Program, project: Path, claude: ClaudeScript
) -> None:
    """R-33 Verified Files Traceability: the log alone leads to the files, in any process."""
    env = claude.does(f"{README}; rm notes.md")
    ran = conversation(program, project, env, "/start", "README.mdを作成")
    assert ran.code == 0, ran.out + ran.err
    (path,) = log_files(project)
    log = json.loads(path.read_text("utf-8"))
    assert log["verification_root"] == str(project)
    verified = {file["path"]: file for file in log["verified_files"]}
    assert {name: file["exists"] for name, file in verified.items()} == {
        "README.md": True,
        "notes.md": False,
    }
    for name, file in verified.items():
        assert (Path(log["verification_root"]) / name).exists() is file["exists"]
        assert file["detection_method"] in {"diff", "executor_claim"}
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", file["detected_at"])


def test_an_endless_executor_is_ended(
    program: Program, project: Path, claude: ClaudeScript
) -> None:
    """R-35 Task Terminal State Guarantee: an endless talker ends in time, as an error on record."""
    env = claude.does("while :; do echo tick; sleep 0.1; done")
    arguments = ("repl", "--non-interactive", "--executor-timeout", "1500")
    script = "/start\n無限ループするコードを loop.py に書いて\n/exit\n"
    ran = program(*arguments, "--project", str(project), stdin=script, env=env)
    assert ran.code == 1, ran.out + ran.err
    (path,) = log_files(project)
    log = json.loads(path.read_text("utf-8"))
    assert (log["status"], log["executor_blocked"]) == ("error", True)
    assert log["blocked_reason"] == "TIMEOUT"
    assert 1500 <= log["timeout_ms"] < 10_000


def test_a_script_has_the_specified_timers(program: Program) -> None:
    """R-35 Task Terminal State Guarantee: a minute to work, half of it to be silent."""
    page = " ".join(program("repl", "--help").out.split())
    assert re.search(r"--executor-timeout \S+ .*?60000", page), page
    assert re.search(r"--progress-timeout \S+ .*?30000", page), page


@pytest.mark.parametrize(("body", "status"), [(README, "complete"), ("exit 3", "error")])
def test_the_current_task_is_cleared(
    program: Program, project: Path, claude: ClaudeScript, body: str, status: str
) -> None:
    """R-38 Current Task ID Clearing: set while it runs, then the last one, whatever the end."""
    env = claude.does(f"cp .claude/repl.json ../seen.json\n{body}")
    conversation(program, project, env, "/start", "Create README.md")
    (path,) = log_files(project)
    log = json.loads(path.read_text("utf-8"))
    assert log["status"] == status
    during = json.loads((project.parent / "seen.json").read_text("utf-8"))
    assert (during["current_task_id"], during["last_task_id"]) == (log["task_id"], None)
    after = json.loads((project / ".claude" / "repl.json").read_text("utf-8"))
    assert (after["current_task_id"], after["last_task_id"]) == (None, log["task_id"])
