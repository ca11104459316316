"""Bad input: a coded error with its cure, exit code 1, nothing half-written."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pm_orchestrator.testing.programs.called_program import Program, Ran

pytestmark = pytest.mark.unmeasured


def tree(root: Path) -> dict[str, bytes]:
    return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file()}


def refused(ran: Ran, code: str) -> None:
    assert ran.code == 1, ran.out + ran.err
    assert ran.err.startswith(f"ERROR {code}: "), ran.err
    assert "\nHINT: " in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize("command", [("validate",), ("run", "Add a page", "--solo"), ("logs",)])
def test_no_claude_directory(program: Program, tmp_path: Path, command: tuple[str, ...]) -> None:
    """R-2: a directory without `.claude` stops everything."""
    root = tmp_path / "bare"
    root.mkdir()
    refused(program(*command, "--project", str(root)), "E101")
    assert tree(root) == {}


@pytest.mark.parametrize("command", ["init", "validate"])
def test_a_project_path_that_is_a_file(program: Program, tmp_path: Path, command: str) -> None:
    path = tmp_path / "file"
    path.write_text("x", encoding="utf-8")
    refused(program(command, "--project", str(path)), "E102")
    assert path.read_text(encoding="utf-8") == "x"


def test_a_project_path_that_is_not_there(program: Program, tmp_path: Path) -> None:
    refused(program("init", "--project", str(tmp_path / "none")), "E102")
    assert not (tmp_path / "none").exists()


def test_a_directory_without_write_permission(
    program: Program, tmp_path: Path, environment: dict[str, str]
) -> None:
    root = tmp_path / "locked"
    root.mkdir(mode=0o555)
    if os.geteuid() == 0:
        # Root may write anywhere, unless that power is taken away first.
        without = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"]
        argv = [*without, sys.executable, "-m", "pm_orchestrator", "init", "--project", str(root)]
        done = subprocess.run(
            argv, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        ran = Ran(done)
    else:
        ran = program("init", "--project", str(root))
    refused(ran, "E102")
    assert tree(root) == {}


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("{", "E105"),
        ("[]", "E104"),
        ("\x00", "E105"),
        ("{}", "E104"),
        ('{"task_limits": {"files": 0}}', "E104"),
    ],
)
def test_corrupt_settings(program: Program, project: Path, content: str, code: str) -> None:
    settings = project / ".claude" / "settings.json"
    settings.write_text(content, encoding="utf-8")
    before = tree(project)
    refused(program("run", "Add a page", "--solo", "--project", str(project)), code)
    refused(program("validate", "--project", str(project)), code)
    assert tree(project) == before


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"task_limits": {"files": 5, "tests": 10, "seconds": 300, "minutes": 1}}, "minutes"),
        ({"task_limits": {"files": 21, "tests": 10, "seconds": 300}}, "files"),
        ({"task_limits": {"files": "5", "tests": 10, "seconds": 300}}, "files"),
        ({"task_limts": {}}, "task_limits"),
        ({"company": {"max_workers": 5}}, "max_workers"),
        ({"company": {"message_queue": "pigeon"}}, "pigeon"),
        ({"company": {"forge": "wall"}}, "wall"),
        ({"sandbox": {"runtime": "none"}}, "sandbox.runtime"),
        ({"executor": {"name": "nobody"}}, "claude-code"),
        ({"parallel_limits": {"subagents": 10, "executors": 4}}, "subagents"),
    ],
)
def test_wrong_keys_are_named(
    program: Program, project: Path, change: dict[str, object], named: str
) -> None:
    """R-3: settings that are not exactly right stop everything."""
    settings = project / ".claude" / "settings.json"
    document = json.loads(settings.read_text(encoding="utf-8"))
    settings.write_text(json.dumps({**document, **change}), encoding="utf-8")
    ran = program("validate", "--project", str(project))
    refused(ran, "E104")
    assert named in ran.err


@pytest.mark.parametrize(
    "foreign",
    [
        {"permissions": {"allow": ["Bash(ls)"]}, "env": {"A": "b"}, "model": "opus"},
        {"hooks": {}, "statusLine": {"type": "command"}},
        {"sandbox": {"enabled": True, "network": {"allowLocalBinding": True}}},
    ],
)
def test_settings_of_claude_code_are_left_alone(
    program: Program, project: Path, foreign: dict[str, object]
) -> None:
    settings = project / ".claude" / "settings.json"
    document = json.loads(settings.read_text(encoding="utf-8"))
    settings.write_text(json.dumps({**document, **foreign}), encoding="utf-8")
    assert program("validate", "--project", str(project)).code == 0


def test_missing_settings(program: Program, project: Path) -> None:
    (project / ".claude" / "settings.json").unlink()
    ran = program("validate", "--project", str(project))
    refused(ran, "E103")
    assert "init --adopt" in ran.err
    assert program("init", "--adopt", "--project", str(project)).code == 0
    assert program("validate", "--project", str(project)).code == 0


def test_init_never_overwrites(program: Program, project: Path) -> None:
    before = tree(project)
    ran = program("init", "--project", str(project))
    refused(ran, "E210")
    assert ".claude/settings.json" in ran.err
    assert tree(project) == before


def test_a_repository_without_commits(
    program: Program, tmp_path: Path, environment: dict[str, str]
) -> None:
    root = tmp_path / "empty"
    root.mkdir()
    subprocess.run(["git", "init", "-q"], cwd=root, check=True, env=environment)
    assert program("init", "--project", str(root)).code == 0
    (tmp_path / "c.json").write_text('{"schema_version": 2, "takes": []}', encoding="utf-8")
    replay = ("--replay", str(tmp_path / "c.json"))
    refused(program("run", "Add a page", *replay, "--project", str(root)), "E102")


def test_no_repository_at_all(program: Program, tmp_path: Path) -> None:
    root = tmp_path / "plain"
    root.mkdir()
    assert program("init", "--project", str(root)).code == 0
    (tmp_path / "c.json").write_text('{"schema_version": 2, "takes": []}', encoding="utf-8")
    replay = ("--replay", str(tmp_path / "c.json"))
    ran = program("run", "Add a page", *replay, "--project", str(root))
    refused(ran, "E102")
    assert "--solo" in ran.err


def test_no_key(program: Program, project: Path) -> None:
    ran = program("run", "Add a page", "--project", str(project))
    refused(ran, "E211")
    assert "ANTHROPIC_API_KEY" in ran.err
    assert not (project / ".pm-orchestrator" / "runtime" / "runs").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ("nonsense",),
        ("run",),
        ("run", "x", "-f", "y"),
        ("run", "x", "--workers", "9"),
        ("demo", "--no"),
    ],
)
def test_wrong_arguments(program: Program, arguments: tuple[str, ...]) -> None:
    refused(program(*arguments), "E210")


def test_errors_in_japanese(program: Program, tmp_path: Path) -> None:
    ran = program("validate", "--project", str(tmp_path), "--lang", "ja")
    refused(ran, "E101")
    assert ".claude ディレクトリがありません" in ran.err
    ran = program("validate", "--project", str(tmp_path), env={"PM_LANG": "ja"})
    assert ".claude ディレクトリがありません" in ran.err
