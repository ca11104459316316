"""One executor in the project directory: scripted `claude` programs, honest and not."""

import json
import os
import stat
import subprocess
from pathlib import Path

import pytest

from pm_orchestrator.testing.programs.called_program import Program

RESULT = '{"type":"result","subtype":"%s","is_error":%s,"result":"%s","num_turns":1,"usage":{}}'


def claude(tmp_path: Path, body: str, *, end: str | None = None) -> dict[str, str]:
    """An environment whose `claude` is a shell script that runs `body` and then says `end`."""
    folder = tmp_path / "bin"
    folder.mkdir(exist_ok=True)
    said = RESULT % ("success", "false", "Done.") if end is None else end
    script = folder / "claude"
    script.write_text(f"#!/bin/sh\n{body}\ncat <<'EOF'\n{said}\nEOF\n", encoding="utf-8")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}


def test_honest_work_is_complete(program: Program, project: Path, tmp_path: Path) -> None:
    env = claude(tmp_path, "echo '# Readme' > README.md")
    ran = program(
        "run", "README.mdを作成してください", "--solo", "--project", str(project), env=env
    )
    assert ran.code == 0, ran.out + ran.err
    assert "[RESULT]  COMPLETE" in ran.out
    assert program("evidence", "verify", "--project", str(project), env=env).code == 0


@pytest.mark.parametrize(
    ("body", "end", "code"),
    [
        ("true", None, 2),  # says done, did nothing
        (": > README.md", None, 2),  # an empty file where content was asked for
        ("echo x > OTHER.md", None, 2),  # another file
        ("echo x > /dev/null; touch notes.md", None, 2),  # touched only
        ("echo '# R' > README.md", RESULT % ("success", "true", "API error"), 1),
        ("echo '# R' > README.md", "no json at all", 1),
        ("echo '# R' > README.md; exit 3", None, 1),
    ],
)
def test_a_claim_alone_is_never_complete(
    program: Program, project: Path, tmp_path: Path, body: str, end: str | None, code: int
) -> None:
    """R-1, R-8, R-31: what an executor says completes nothing; the disk does."""
    env = claude(tmp_path, body, end=end)
    ran = program("run", "Create README.md", "--solo", "--project", str(project), env=env)
    assert ran.code == code, ran.out + ran.err
    assert "[RESULT]  COMPLETE" not in ran.out


def test_gates_judge_solo_work_too(
    program: Program, project: Path, tmp_path: Path, environment: dict[str, str]
) -> None:
    """R-11: code whose tests fail is not complete."""
    (project / "Makefile").write_text(
        "test:\n\t@grep -q good code.py && echo '1 passed'\n", encoding="utf-8"
    )
    bad = claude(tmp_path, "echo bad > code.py")
    ran = program("run", "Create code.py", "--solo", "--project", str(project), env=bad)
    assert ran.code == 2
    assert "test gate is red" in ran.out
    good = claude(tmp_path, "echo good > code.py")
    ran = program("run", "Update code.py", "--solo", "--project", str(project), env=good)
    assert ran.code == 0, ran.out + ran.err


def test_no_claude_on_the_path(program: Program, project: Path) -> None:
    env = {"PATH": "/usr/bin:/bin"}
    ran = program("run", "Create README.md", "--solo", "--project", str(project), env=env)
    assert ran.code == 1
    assert ran.err.startswith("ERROR E503: ")
    assert "npm package" in ran.err


@pytest.mark.parametrize(
    ("instruction", "said"),
    [
        ("fix it", "Which function or place"),
        ("それを修正してください", "どの機能/箇所を修正しますか"),
        ("delete everything in the repository", "explicit yes"),
    ],
)
def test_unclear_or_dangerous_instructions_start_nothing(
    program: Program, project: Path, tmp_path: Path, instruction: str, said: str
) -> None:
    """R-9, R-19: what is unclear is asked, and no executor is called."""
    env = claude(tmp_path, "touch called")
    ran = program("run", instruction, "--solo", "--project", str(project), env=env)
    assert ran.code == 2
    assert said in ran.err
    assert not (project / "called").exists()


def test_a_script_of_commands(program: Program, project: Path, tmp_path: Path) -> None:
    env = claude(tmp_path, "echo '# Readme' > README.md")
    script = "/start\nREADME.mdを作成して\n/tasks\n/logs\n/exit\n"
    ran = program("repl", "--non-interactive", "--project", str(project), stdin=script, env=env)
    assert ran.code == 0, ran.out + ran.err
    places = [ran.out.index(word) for word in ("session_id:", "[RESULT]", "Summary\n", "Task Logs")]
    assert places == sorted(places)
    assert "1 completed, 0 running, 0 pending, 0 failed" in ran.out
    (log,) = (project / ".pm-orchestrator" / "session" / "logs").glob("task-*.json")
    content = json.loads(log.read_text(encoding="utf-8"))
    assert content["status"] == "complete"
    assert content["verification_root"] == str(project)
    assert [f["path"] for f in content["verified_files"]] == ["README.md"]


@pytest.mark.parametrize(
    ("script", "code"),
    [
        ("/start\n/exit\n", 0),
        ("/start\n", 0),
        ("/start\nCreate NONE.md\n/exit\n", 2),
        ("/start\n/nonsense\n/exit\n", 1),
        ("Create README.md\n", 1),  # no session yet
        ("/start\n/nonsense\nCreate README.md\n", 1),
    ],
)
def test_exit_codes_of_scripts(
    program: Program, project: Path, tmp_path: Path, script: str, code: int
) -> None:
    env = claude(tmp_path, "echo '# Readme' > README.md")
    ran = program("repl", "--project", str(project), stdin=script, env=env)
    assert ran.code == code, ran.out + ran.err


def test_the_users_git_state_is_not_touched(
    program: Program, project: Path, tmp_path: Path, environment: dict[str, str]
) -> None:
    env = claude(tmp_path, "echo '# Readme' > README.md")
    program("run", "Create README.md", "--solo", "--project", str(project), env=env)
    status = subprocess.run(
        ["git", "status", "--porcelain"],
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert status.stdout.split() == ["??", ".claude/", "??", "README.md"]
