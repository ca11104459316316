"""A project is found from a directory in it, and works wherever git has brought it."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from pm_orchestrator.bootstrap.project_modes import nearest_project
from pm_orchestrator.testing.programs.called_program import Program
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript

pytestmark = pytest.mark.unmeasured


def git(where: Path, *arguments: str) -> str:
    command = ["git", "-c", "user.name=T", "-c", "user.email=t@localhost", *arguments]
    done = subprocess.run(command, cwd=where, check=True, capture_output=True, text=True)
    return done.stdout


@pytest.fixture
def shared(project: Path) -> Path:
    """A project whose settings are in its repository."""
    git(project, "add", "-f", ".claude/CLAUDE.md", ".claude/settings.json")
    git(project, "commit", "-qm", "Share the settings")
    return project


def works(program: Program, claude: ClaudeScript, root: Path) -> None:
    """A task is done in `root`, and git is offered nothing of ours."""
    ran = program("run", "Create a.md", "--solo", "--json", env=claude.does("echo x > a.md"))
    assert ran.code == 0, ran.out + ran.err
    assert (root / "a.md").is_file()
    offered = git(root, "status", "--porcelain", "--untracked-files=all").split("\n")
    assert [line for line in offered if ".claude" in line] == []


def test_from_a_directory_in_it(
    shared: Path, environment: dict[str, str], claude: ClaudeScript
) -> None:
    deep = shared / "deep" / "er"
    deep.mkdir(parents=True)
    program = Program(deep, environment)
    works(program, claude, shared)
    listed = program("logs", "--json").json
    assert listed, "the tasks of the project above"
    assert not (deep / ".claude").exists()


def test_init_is_for_the_directory_itself(shared: Path, environment: dict[str, str]) -> None:
    deep = shared / "deep"
    deep.mkdir()
    assert Program(deep, environment)("init").code == 0
    assert (deep / ".claude" / "settings.json").is_file()


def test_in_a_clone(
    shared: Path, tmp_path: Path, environment: dict[str, str], claude: ClaudeScript
) -> None:
    """Git carries no empty directories; that they are missing says nothing."""
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(shared), str(clone))
    program = Program(clone, environment)
    assert program("validate").code == 1, "who asks what is missing is told"
    works(program, claude, clone)
    assert program("validate").code == 0


def test_in_a_worktree(
    shared: Path, tmp_path: Path, environment: dict[str, str], claude: ClaudeScript
) -> None:
    tree = tmp_path / "tree"
    git(shared, "worktree", "add", "-q", str(tree))
    works(Program(tree, environment), claude, tree)


def test_what_is_missing_beside_directories_is_still_said(
    shared: Path, environment: dict[str, str]
) -> None:
    (shared / ".claude" / "CLAUDE.md").unlink()
    (shared / ".claude" / "agents").rmdir()
    ran = Program(shared, environment)("start")
    assert (ran.code, ran.err[:11]) == (1, "ERROR E103:")
    assert "CLAUDE.md" in ran.err
    assert "agents" in ran.err
    assert not (shared / ".claude" / "agents").exists()


def test_a_script_works_where_it_was_started(shared: Path, environment: dict[str, str]) -> None:
    """R-2 Nobody is there to see which project is meant: no directory above is looked at."""
    deep = shared / "deep"
    deep.mkdir()
    ran = Program(deep, environment)("repl", "--non-interactive", stdin="/start\n/exit\n")
    assert (ran.code, ran.err[:11]) == (1, "ERROR E101:")


def make(*folders: Path) -> None:
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)


def test_the_home_directory_is_no_project(tmp_path: Path) -> None:
    """Its `.claude` holds what a person wants of Claude Code everywhere."""
    home = tmp_path / "home"
    make(home / ".claude", home / "work" / "src")
    assert nearest_project(home / "work" / "src", home) == home / "work" / "src"
    assert nearest_project(home, home) == home
    make(home / "work" / ".claude")
    assert nearest_project(home / "work" / "src", home) == home / "work"


@pytest.mark.parametrize("as_file", [True, False])
def test_a_repository_is_not_left(tmp_path: Path, as_file: bool) -> None:
    """What lies in a submodule or a nested repository is a project of its own, or none."""
    outer, inner = tmp_path / "outer", tmp_path / "outer" / "inner"
    make(outer / ".claude", outer / ".git", inner / "src")
    if as_file:
        (inner / ".git").write_text("gitdir: elsewhere\n", encoding="utf-8")
    else:
        make(inner / ".git")
    assert nearest_project(inner / "src", tmp_path) == inner / "src"
    assert nearest_project(outer, tmp_path) == outer


def test_a_file_of_that_name_is_none(tmp_path: Path) -> None:
    make(tmp_path / "a" / "b")
    (tmp_path / "a" / ".claude").write_text("{}", encoding="utf-8")
    assert nearest_project(tmp_path / "a" / "b", tmp_path) == tmp_path / "a" / "b"


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a directory away")
def test_what_belongs_to_somebody_else_is_none(tmp_path: Path) -> None:
    make(tmp_path / "theirs" / ".claude", tmp_path / "theirs" / "mine")
    os.chown(tmp_path / "theirs", 12345, 12345)
    mine = tmp_path / "theirs" / "mine"
    assert nearest_project(mine, tmp_path) == mine


def test_the_settings_of_the_project_above_hold(shared: Path, environment: dict[str, str]) -> None:
    settings = shared / ".claude" / "settings.json"
    document = json.loads(settings.read_text(encoding="utf-8"))
    document["task_limits"]["files"] = 7
    settings.write_text(json.dumps(document), encoding="utf-8")
    deep = shared / "deep"
    deep.mkdir()
    assert Program(deep, environment)("validate", "--json").json["task_limits"]["files"] == 7
