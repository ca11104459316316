"""Where a REPL works, what it says about that, and what it never touches."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from pm_orchestrator.testing.programs.called_program import Program

pytestmark = pytest.mark.unmeasured

REPL = ("repl", "--non-interactive")


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    folder = tmp_path / "empty"
    folder.mkdir()
    return folder


def test_the_project_path_comes_first_and_alone(program: Program, project: Path) -> None:
    ran = program(*REPL, "--print-project-path", "--project", str(project), stdin="/help\n/exit\n")
    lines = ran.out.splitlines()
    assert lines[0] == f"PROJECT_PATH={project}"
    assert sum(line.startswith("PROJECT_PATH=") for line in lines) == 1
    assert ran.code == 0


def test_fixed_mode_works_in_the_root_and_leaves_it(program: Program, empty: Path) -> None:
    fixed = (*REPL, "--project-mode", "fixed", "--project-root", str(empty))
    ran = program(*fixed, "--print-project-path", stdin="/start\n/exit\n")
    assert ran.code == 0, ran.err
    assert ran.out.startswith(f"PROJECT_PATH={empty}\n")
    assert f"{empty} was initialised" in ran.err
    assert (empty / ".claude" / "settings.json").is_file()
    assert list((empty / ".claude" / "evidence").glob("ev-*.json"))
    again = program(*fixed, stdin="/exit\n")
    assert again.code == 0
    assert "initialised" not in again.err


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (("--project-mode", "fixed"), "E210"),
        (("--project-mode", "fixed", "--project-root", "relative"), "E102"),
        (("--project-mode", "fixed", "--project-root", "/no/such/dir"), "E102"),
        (("--project-mode", "fixed", "--project", ".", "--project-root", "/"), "E210"),
        (("--project-mode", "temp", "--project", "."), "E210"),
        (("--project-mode", "elsewhere"), "E210"),
    ],
)
def test_what_contradicts_itself_is_refused(
    program: Program, options: tuple[str, ...], code: str
) -> None:
    ran = program(*REPL, *options, stdin="/help\n")
    assert ran.code == 1
    assert f"ERROR {code}" in ran.err
    assert "HINT: " in ran.err
    assert ran.out == ""


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_temp_mode_says_that_it_may_vanish(
    program: Program, environment: dict[str, str], lang: str
) -> None:
    ran = program(
        *REPL, "--project-mode", "temp", "--print-project-path", "--lang", lang, stdin="/exit\n"
    )
    assert ran.code == 0, ran.err
    path = Path(ran.out.splitlines()[0].removeprefix("PROJECT_PATH="))
    assert path.parent == Path(environment["TMPDIR"])
    assert (path / ".claude").is_dir()
    assert "--project-mode fixed" in ran.err


@pytest.mark.parametrize("mode", ["cwd", "temp"])
def test_a_root_outside_of_fixed_mode_is_ignored_aloud(
    program: Program, empty: Path, mode: str
) -> None:
    ran = program(
        *REPL, "--project-mode", mode, "--project-root", str(empty), "--lang", "ja", stdin="/exit\n"
    )
    assert f"WARNING: --project-root は {mode} モードでは無視されます" in ran.err
    assert list(empty.iterdir()) == []


def test_without_a_project_only_init_works(program: Program, empty: Path) -> None:
    here = (*REPL, "--project", str(empty))
    refused = program(*here, stdin="/start\n/tasks\nAdd a README\n/help\n/exit\n")
    assert refused.code == 1
    assert refused.err.count("ERROR E101") == 3
    assert refused.err.count("HINT: type /init.") == 3
    shown = [line.split()[0] for line in refused.out.splitlines() if line.startswith("  /")]
    assert shown == ["/help", "/init", "/exit"]
    assert list(empty.iterdir()) == []

    made = program(*here, stdin="/init\n/start\n/exit\n")
    assert made.code == 0, made.err
    assert "session_id: " in made.out
    state = json.loads((empty / ".claude" / "repl.json").read_text("utf-8"))
    assert state["selected_provider"] is None
    assert program("evidence", "verify", "--project", str(empty)).code == 0


def test_init_never_overwrites_and_names_what_is_there(program: Program, project: Path) -> None:
    own = project / ".claude" / "CLAUDE.md"
    own.write_text("mine", encoding="utf-8")
    ran = program(*REPL, "--project", str(project), stdin="/init\n")
    assert ran.code == 1
    assert "ERROR E210" in ran.err
    assert ".claude/CLAUDE.md" in ran.err
    assert own.read_text("utf-8") == "mine"


def test_a_partial_claude_directory_is_named_and_adopted(program: Program, empty: Path) -> None:
    settings = empty / ".claude" / "settings.json"
    settings.parent.mkdir()
    theirs = '{\n\t"permissions": {"allow": []}\n}\n'
    settings.write_text(theirs, encoding="utf-8")
    for command in (REPL, ("validate",), ("start",), ("run", "--solo", "Add a README")):
        ran = program(*command, "--project", str(empty), stdin="/help\n")
        assert ran.code == 1
        assert "ERROR E103" in ran.err
        for name in (".claude/CLAUDE.md", ".claude/agents", ".claude/rules"):
            assert name in ran.err
        assert ("`/init`" if command is REPL else "init --adopt") in ran.err
    assert [path.name for path in settings.parent.iterdir()] == ["settings.json"]
    adopted = program("init", "--adopt", "--project", str(empty))
    assert adopted.code == 0, adopted.err
    assert settings.read_text("utf-8").startswith(theirs.rstrip("\n}"))
    assert json.loads(settings.read_text("utf-8"))["permissions"] == {"allow": []}
    assert program("validate", "--project", str(empty)).code == 0
    once = settings.read_bytes()
    assert program("init", "--adopt", "--project", str(empty)).code == 0
    assert settings.read_bytes() == once


@pytest.mark.parametrize(
    ("text", "code"),
    [("{", "E105"), ("[]", "E104"), ('{"task_limit": {}}', "E104"), ('{"timeouts": 3}', "E104")],
)
def test_settings_that_are_not_sound_are_not_adopted(
    program: Program, empty: Path, text: str, code: str
) -> None:
    settings = empty / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(text, encoding="utf-8")
    ran = program("init", "--adopt", "--project", str(empty))
    assert ran.code == 1
    assert f"ERROR {code}" in ran.err
    assert [path.name for path in settings.parent.iterdir()] == ["settings.json"]
    assert settings.read_text("utf-8") == text


def test_a_repository_that_uses_claude_code_is_adopted(program: Program, empty: Path) -> None:
    claude = empty / ".claude"
    claude.mkdir()
    (claude / "CLAUDE.md").write_text("theirs", encoding="utf-8")
    adopted = program("init", "--adopt", "--project", str(empty))
    assert adopted.code == 0, adopted.err
    assert "CLAUDE.md" not in adopted.out
    assert (claude / "CLAUDE.md").read_text("utf-8") == "theirs"
    assert program("validate", "--project", str(empty)).code == 0


def test_the_state_of_the_repl_stays_out_of_commits(program: Program, project: Path) -> None:
    below = project / "packages" / "one"
    below.mkdir(parents=True)
    assert program("init", "--project", str(below)).code == 0
    shown = subprocess.run(
        ["git", "status", "--porcelain", "-uall"],
        cwd=project,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "settings.json" in shown
    assert "repl.json" not in shown


def test_a_corrupt_state_is_never_repaired(program: Program, project: Path) -> None:
    state = project / ".claude" / "repl.json"
    state.write_text("{", encoding="utf-8")
    ran = program(*REPL, "--project", str(project), stdin="/help\n/start\n/exit\n")
    assert ran.code == 1
    assert "ERROR E105" in ran.err
    assert state.read_text("utf-8") == "{"


def test_a_directory_that_is_gone(program: Program, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    here = Path.cwd()
    os.chdir(gone)
    try:
        gone.rmdir()
        ran = Program(Path(), program.environment)(*REPL, stdin="/help\n")
    finally:
        os.chdir(here)
    assert ran.code == 1
    assert "ERROR E102" in ran.err
