"""The user's work is safe: what an executor did can be undone, and the undo too."""

import subprocess
from pathlib import Path

import pytest

from pm_orchestrator.testing.programs.called_program import Program
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript


def claude(tmp_path: Path, body: str) -> dict[str, str]:
    return ClaudeScript(tmp_path / "bin").does(body)


def solo(program: Program, project: Path, env: dict[str, str], instruction: str) -> str:
    """Run one instruction and return the task's id."""
    ran = program("run", instruction, "--solo", "--json", "--project", str(project), env=env)
    assert ran.code in {0, 2}, ran.out + ran.err
    task: str = ran.json["task_id"]
    return task


def contents(project: Path) -> dict[str, bytes]:
    return {
        path.relative_to(project).as_posix(): path.read_bytes()
        for path in sorted(project.rglob("*"))
        if path.is_file()
        and path.relative_to(project).parts[0] not in {".git", ".claude", ".pm-orchestrator"}
    }


def git(project: Path, environment: dict[str, str], *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-c", "user.name=T", "-c", "user.email=t@localhost", *arguments],
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def test_undo_and_undo_of_undo(
    program: Program, project: Path, tmp_path: Path, environment: dict[str, str]
) -> None:
    (project / "draft.txt").write_bytes(b"mine\r\n")
    (project / "notes.md").write_text("# My notes, not committed\n", encoding="utf-8")
    git(project, environment, "add", "notes.md")
    before, status = contents(project), git(project, environment, "status", "--porcelain")
    env = claude(
        tmp_path,
        "echo '# Readme' > README.md; rm draft.txt; echo spoiled > notes.md; git add -A",
    )
    task = solo(program, project, env, "Create README.md")
    worked = contents(project)
    assert worked != before

    ran = program("undo", task, "--project", str(project))
    assert ran.code == 0, ran.out + ran.err
    assert f"as they were before {task}" in ran.out
    assert contents(project) == before
    assert git(project, environment, "status", "--porcelain") == status

    ran = program("undo", task, "--project", str(project))
    assert ran.code == 0, ran.out + ran.err
    assert "is undone" in ran.out
    assert contents(project) == worked
    ran = program("undo", task, "--project", str(project), "--json")
    assert ran.json["direction"] == "undone"
    assert contents(project) == before
    assert program("evidence", "verify", "--project", str(project)).code == 0


def test_undo_leaves_commits_and_says_how_to_move_back(
    program: Program, project: Path, tmp_path: Path, environment: dict[str, str]
) -> None:
    head = git(project, environment, "rev-parse", "HEAD")
    commit = "git -c user.name=A -c user.email=a@localhost commit -qm Readme"
    env = claude(tmp_path, f"echo '# R' > README.md; git add README.md; {commit}")
    task = solo(program, project, env, "Create README.md")
    ran = program("undo", task, "--project", str(project))
    assert ran.code == 0, ran.out + ran.err
    assert f"git reset --soft {head}" in ran.out
    assert not (project / "README.md").exists()
    assert git(project, environment, "rev-parse", "HEAD^") == head


def test_a_project_without_git(
    program: Program, tmp_path: Path, environment: dict[str, str]
) -> None:
    project = tmp_path / "plain"
    project.mkdir()
    (project / "keep.txt").write_text("mine\n", encoding="utf-8")
    assert program("init", "--project", str(project)).code == 0
    env = claude(tmp_path, "echo '# R' > README.md; rm keep.txt")
    task = solo(program, project, env, "Create README.md")
    ran = program("undo", task, "--project", str(project))
    assert ran.code == 0, ran.out + ran.err
    assert contents(project) == {"keep.txt": b"mine\n"}
    assert not (project / ".git").exists()


def test_undo_in_a_conversation(program: Program, project: Path, tmp_path: Path) -> None:
    env = claude(tmp_path, "echo '# R' > README.md")
    script = "/start\nCreate README.md\n/undo task-001\n/exit\n"
    ran = program("repl", "--non-interactive", "--project", str(project), stdin=script, env=env)
    assert ran.code == 0, ran.out + ran.err
    assert not (project / "README.md").exists()


@pytest.mark.parametrize("task", ["task-999", "task-1234567890123", "../x"])
def test_what_cannot_be_undone(program: Program, project: Path, task: str) -> None:
    ran = program("undo", task, "--project", str(project))
    assert ran.code == 1
    assert ran.err.startswith("ERROR E210: ")


def test_a_refused_task_has_nothing_to_undo(
    program: Program, project: Path, tmp_path: Path
) -> None:
    env = claude(tmp_path, "touch called")
    assert program("run", "fix it", "--solo", "--project", str(project), env=env).code == 2
    ran = program("undo", "task-001", "--project", str(project))
    assert (ran.code, ran.err.split(":")[0]) == (1, "ERROR E210")
    assert "nothing was saved" in ran.err


def test_a_repository_inside_is_left_alone(
    program: Program, project: Path, tmp_path: Path, environment: dict[str, str]
) -> None:
    """What an agent did in a repository of its own is neither taken away nor half put back."""
    inside = project / "there"
    inside.mkdir()
    git(inside, environment, "init", "-q")
    (inside / "old.md").write_text("old\n", encoding="utf-8")
    git(inside, environment, "add", "-A")
    git(inside, environment, "commit", "-qm", "One")
    commit = "git add -A; git -c user.name=A -c user.email=a@localhost commit -qm more"
    body = (
        f"(cd there; echo new > new.md; {commit}); echo '# R' > README.md; "
        f"mkdir made; (cd made; git init -q; echo x > x.md; {commit})"
    )
    task = solo(program, project, claude(tmp_path, body), "Create README.md")
    kept = {name for name in contents(project) if name.startswith(("there/", "made/"))}
    undone = program("undo", task, "--project", str(project))
    assert undone.code == 0, undone.out + undone.err
    assert not (project / "README.md").exists()
    assert {"there/new.md", "there/old.md", "made/x.md"} <= kept <= contents(project).keys()
    assert git(inside, environment, "status", "--porcelain") == ""
    again = program("undo", task, "--project", str(project))
    assert again.code == 0, again.out + again.err
    assert (project / "README.md").exists()
    assert kept <= contents(project).keys()
