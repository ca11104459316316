"""A fault of our own: the task is closed with the reason, and nobody has to read a traceback."""

import errno
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from pm_orchestrator.cli.program import run
from pm_orchestrator.runner.faults import place_of
from pm_orchestrator.testing.data.secrets import kept_text
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript

SECRET = "sk-ant-api03-" + "z9Y8x7W6" * 5


def broken(*_: Any, **__: Any) -> None:
    raise LookupError(f"no such thing as {SECRET}")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "project"
    home = tmp_path / "home"
    for folder in (root, home):
        folder.mkdir()
    claude = ClaudeScript(tmp_path / "bin").does("echo '# Readme' > README.md")
    for name, value in {**claude, "HOME": str(home), "LANG": "C.UTF-8"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(root)
    assert run(["init"]) == 0
    return root


def logs(project: Path) -> list[dict[str, Any]]:
    found = (project / ".claude/logs/sessions").glob("*/tasks/task-*.json")
    return [json.loads(p.read_text("utf-8")) for p in sorted(found, key=os.path.getmtime)]


def assert_nothing_is_open(project: Path) -> None:
    state = json.loads((project / ".claude/repl.json").read_text("utf-8"))
    assert state["current_task_id"] is None
    unfinished = project / ".pm-orchestrator/runtime/state/unfinished.json"
    assert json.loads(unfinished.read_text("utf-8")) == {"tasks": []}
    assert all(log["ended_at"] for log in logs(project))


@pytest.mark.parametrize(
    ("module", "where"),
    [
        ("runner/run/phases/execution", "decide"),
        ("runner/run/phases/validation", "decide"),
        ("runner/run/phases/analysis", "understand"),
        ("runner/places/project_directory", "log_execution"),
    ],
)
def test_a_fault_in_a_task_ends_it_as_an_error(
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    module: str,
    where: str,
) -> None:
    """R-26 TaskLog Lifecycle Recording: a fault of the Runner is a terminal state too."""
    with monkeypatch.context() as patched:
        patched.setattr(f"pm_orchestrator.{module.replace('/', '.')}.{where}", broken)
        assert run(["run", "Create README.md", "--solo"]) == 1
    shown = capsys.readouterr()
    assert f"ERROR E201: the Runner's own code broke: LookupError at {module}.py:" in shown.err
    assert "Traceback" not in shown.out + shown.err
    (log,) = logs(project)
    assert (log["status"], log["runner_decision"]) == ("error", "reject")
    assert log["error_reason"].startswith("E201: the Runner's own code broke: LookupError at ")
    assert log["events"][-1]["event_type"] == "TASK_ERROR"
    assert_nothing_is_open(project)
    (trace,) = (project / ".pm-orchestrator/runtime/runs").glob("*/errors.log")
    assert "Traceback" in trace.read_text("utf-8")
    (project / "README.md").unlink(missing_ok=True)

    assert run(["run", "Create README.md", "--solo"]) == 0
    assert_nothing_is_open(project)
    everything = [p for p in project.rglob("*") if p.is_file()]
    assert not [p for p in everything if SECRET.encode() in kept_text(p)]
    assert SECRET not in shown.out + shown.err


def test_what_the_disk_refuses_is_no_fault_of_ours(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, "said by whoever", "/tmp/view")

    with monkeypatch.context() as patched:
        patched.setattr("pm_orchestrator.runner.run.phases.validation.decide", refused)
        assert run(["run", "Create README.md", "--solo"]) == 1
    shown = capsys.readouterr()
    assert "ERROR E902: /tmp/view cannot be written: No space left on device." in shown.err
    assert "[RESULT]  ERROR" in shown.out
    assert_nothing_is_open(project)


def test_what_only_saves_time_need_not_be_written(project: Path) -> None:
    state = project.parent / "home" / ".local" / "state" / "pm-orchestrator"
    state.mkdir(parents=True, exist_ok=True)
    (state / "stat").write_text("in the way", "utf-8")
    assert run(["run", "Create README.md", "--solo"]) == 0
    assert (state / "stat").read_text("utf-8") == "in the way"


@pytest.mark.parametrize(
    ("broken_part", "code"),
    [
        ("pm_orchestrator.runner.run.phases.validation.decide", "ERROR E201"),
        ("pm_orchestrator.runner.tasks.run_task.run_task", "ERROR E905"),
    ],
)
def test_a_fault_ends_one_line_of_a_script(
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    broken_part: str,
    code: str,
) -> None:
    script = project.parent / "script"
    script.write_text("/start\nCreate README.md\n/tasks\n/exit\n", "utf-8")
    monkeypatch.setattr(broken_part, broken)
    with script.open(encoding="utf-8") as lines:
        monkeypatch.setattr(sys, "stdin", lines)
        assert run(["repl", "--non-interactive"]) == 1
    shown = capsys.readouterr()
    assert code in shown.err
    assert "Traceback" not in shown.out + shown.err
    assert "0 running" in shown.out  # of `/tasks`, which comes after


def test_a_fault_outside_of_a_task_has_a_code(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert project.is_dir()
    monkeypatch.setattr("pm_orchestrator.cli.commands.sessions.status.open_project", broken)
    assert run(["status", "--lang", "ja"]) == 1
    shown = capsys.readouterr()
    assert "ERROR E905: プログラム自体が異常終了しました: LookupError" in shown.err
    assert "Traceback" not in shown.out + shown.err
    assert SECRET not in shown.err


def test_a_command_that_cannot_even_be_loaded_has_a_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("pm_orchestrator.cli.program.importlib.import_module", broken)
    assert run(["status"]) == 1
    shown = capsys.readouterr()
    assert shown.err.startswith("ERROR E905: the program itself broke: LookupError at cli/")
    assert SECRET not in shown.err


def test_a_fault_that_never_touched_our_code_has_no_place() -> None:
    assert place_of(ValueError("made elsewhere")) == "?"
