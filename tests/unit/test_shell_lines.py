"""What is typed at the wrong prompt is known by every word of it; prose never is one."""

import os
from pathlib import Path

import pytest

from pm_orchestrator.cli.repl.lines.shell_lines import WhereTyped, is_shell_line

PROGRAMS = (
    *("ls", "cat", "clear", "pwd", "git", "python3", "pytest", "wc", "vim", "more", "date", "top"),
    *("docker", "npm", "test", "find", "sort", "split", "cut", "time", "watch", "kill", "patch"),
    *(
        "docker-compose",
        "make",
        "rm",
        "mv",
        "cp",
        "ln",
        "touch",
        "echo",
        "who",
        "yes",
        "env",
        "sed",
    ),
)
SHELL = (
    *("ls", "clear", "ls -la", "ls src", "pwd", "cd src", "cd ..", "cat app.py", "vim app.py"),
    *("git status", "git diff", "git log --oneline -5", "git log -n 5", "git diff app.py"),
    *("ls | wc -l", "ls -la src && pwd", "python3 app.py", "cat app.py > out.txt", "ls *.py"),
    *("pytest", "pytest -x", "pytest -k add", "docker compose", "./run.sh", "history", "date"),
)
INSTRUCTIONS = (
    *("clear the cache in app.py", "ls should show sizes in our CLI", "git should ignore build/"),
    *("find the bug in app.py", "make it faster", "test app.py", "split app.py", "rm app.py"),
    *("touch new.md", "git mv app.py b.py", "ln -s app.py latest.py", "docker support", "npm test"),
    *("git hooks setup", "pytest fails", "make test", "test", "cut the timeout", "more tests"),
    *("time the request", "watch the folder", "kill the zombie", "who calls add", "don't touch it"),
    *("git commit -m x", "git reset --hard", "rm -rf src", "app.py", "README.md", "patch app.py"),
    *("ls -la output is wrong", "git log is empty", "cat app.py\nand fix it", "lsを直して", "dogs"),
    *("git tag v1.0", "mv app.py b.py", "cp app.py b.py", "ls | and so on", "|", "", "ls " * 200),
)


@pytest.fixture(scope="module")
def where(tmp_path_factory: pytest.TempPathFactory) -> WhereTyped:
    place = tmp_path_factory.mktemp("typed")
    root, programs, git = place / "project", place / "bin", place / "git-core"
    for folder in (root / "src", root / "tests", programs, git):
        folder.mkdir(parents=True)
    (root / "app.py").touch()
    for path in (*(programs / name for name in PROGRAMS), root / "run.sh"):
        path.touch(0o755)
    for name in ("status", "diff", "log", "commit", "reset", "mv", "tag"):
        (git / f"git-{name}").touch()
    found: Path | None = git
    return WhereTyped(root=root, search_path=os.fspath(programs), git_programs=lambda: found)


@pytest.mark.parametrize("line", SHELL)
def test_a_line_for_a_shell(where: WhereTyped, line: str) -> None:
    assert is_shell_line(line, where)


@pytest.mark.parametrize("line", INSTRUCTIONS)
def test_an_instruction(where: WhereTyped, line: str) -> None:
    assert not is_shell_line(line, where)
