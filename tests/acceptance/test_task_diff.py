"""`diff`: the change between the trees before and after a task, whatever became of it."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pm_orchestrator.testing.programs.called_program import Program, Ran
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript, commit_all

KEY = "sk-ant-api03-" + "q7Zx" * 20
CHANGES = r"""
printf 'one\nTWO\nthree\n' > lines.txt
printf 'a\0c' > picture.bin
mv old.txt new.txt
chmod +x run.sh
rm gone.txt
rm -f link && ln -s lines.txt link
printf 'fresh\n' > untracked.md
echo more >> huge.txt
"""


def diffed(program: Program, project: Path, *arguments: str) -> dict[str, Any]:
    ran = program("diff", *arguments, "--json", "--project", str(project))
    assert ran.code == 0, ran.out + ran.err
    return ran.json


def by_path(diff: dict[str, Any]) -> dict[str, Any]:
    return {file["path"]: file for file in diff["files"]}


def solo(program: Program, project: Path, env: dict[str, str], instruction: str) -> Ran:
    return program("run", "--solo", instruction, "--json", "--project", str(project), env=env)


def filled(project: Path, *, commit: bool = True) -> None:
    (project / "lines.txt").write_text("one\ntwo\nthree\n", encoding="utf-8")
    (project / "picture.bin").write_bytes(b"a\0b")
    (project / "old.txt").write_text("moved as it is\n" * 5, encoding="utf-8")
    (project / "run.sh").write_text("#!/bin/sh\n", encoding="utf-8")
    (project / "gone.txt").write_text("bye\n", encoding="utf-8")
    (project / "link").symlink_to("run.sh")
    (project / "huge.txt").write_text("x" * 1_500_000, encoding="utf-8")
    if commit:
        commit_all(project)


@pytest.mark.parametrize("with_git", [True, False])
def test_every_kind_of_change_is_shown_as_such(
    program: Program, project: Path, claude: ClaudeScript, tmp_path: Path, with_git: bool
) -> None:
    filled(project, commit=with_git)
    if not with_git:
        (project / ".git").rename(tmp_path / "no-git")
    ran = solo(program, project, claude.does(CHANGES), "Change TWO in lines.txt and tidy up")
    files = by_path(diff := diffed(program, project))
    assert diff["until"] == "its_end"
    assert (files["lines.txt"]["added"], files["lines.txt"]["removed"]) == (1, 1)
    assert (files["picture.bin"]["contents"], files["picture.bin"]["added"]) == ("binary", None)
    assert files["huge.txt"]["contents"] == "large"
    assert (files["new.txt"]["kind"], files["new.txt"]["previous_path"]) == ("renamed", "old.txt")
    assert files["run.sh"]["mode_after"] == "100755"
    assert files["gone.txt"]["kind"] == "deleted"
    assert files["link"]["mode_after"] == "120000"
    assert files["untracked.md"]["kind"] == "created"
    assert "+TWO" in diff["patch"]
    assert len(diff["patch"]) < 20_000
    assert ran.json["lines"] == diff["files"]
    page = program("diff", "--project", str(project)).out
    assert re.search(r"^  renamed  old\.txt -> new\.txt$", page, re.MULTILINE)
    assert re.search(r"^  changed  run\.sh +mode 100644 -> 100755$", page, re.MULTILINE)
    assert re.search(r"^  changed  picture\.bin +binary$", page, re.MULTILINE)
    assert "\x1b" not in page


def test_a_pipe_gets_what_git_can_apply(
    program: Program, project: Path, claude: ClaudeScript, tmp_path: Path
) -> None:
    (project / "dos.txt").write_bytes(b"one\r\ntwo\r\n")
    commit_all(project)
    copy = tmp_path / "copy"
    subprocess.run(["git", "clone", "-q", str(project), str(copy)], check=True)
    body = "printf 'one\\r\\nzwei\\r\\n' > dos.txt; echo '# Readme' > README.md"
    solo(program, project, claude.does(body), "Translate two in dos.txt, create README.md")
    shown = subprocess.run(
        [sys.executable, "-m", "pm_orchestrator", "diff", "--project", str(project)],
        env=dict(program.environment),
        capture_output=True,
        check=True,
    ).stdout
    subprocess.run(["git", "apply"], cwd=copy, input=shown, check=True)
    assert (copy / "dos.txt").read_bytes() == b"one\r\nzwei\r\n"
    assert (copy / "README.md").read_text("utf-8") == "# Readme\n"


def test_it_stays_what_it_was_when_others_write_later(
    program: Program, project: Path, claude: ClaudeScript
) -> None:
    first = solo(program, project, claude.does("echo 1 > a.txt"), "Create a.txt").json["task_id"]
    (project / "a.txt").write_text("mine now\n", encoding="utf-8")
    second = solo(program, project, claude.does("echo 2 > b.txt"), "Create b.txt").json["task_id"]
    (project / "b.txt").unlink()
    assert "+1" in diffed(program, project, first)["patch"]
    assert set(by_path(diffed(program, project, first))) == {"a.txt"}
    assert set(by_path(diffed(program, project))) == {"b.txt"}
    program("undo", second, "--project", str(project))
    assert "+2" in diffed(program, project, second)["patch"]


def test_work_that_was_never_judged_is_still_shown(
    program: Program, project: Path, claude: ClaudeScript
) -> None:
    failing = claude.does("echo half > a.txt", ends_with="no result", exit_code=3)
    ran = solo(program, project, failing, "Create a.txt")
    assert ran.code == 1
    diff = diffed(program, project)
    assert (diff["until"], set(by_path(diff))) == ("now", {"a.txt"})
    (project / "mine.txt").write_text("not the task's\n", encoding="utf-8")
    assert set(by_path(diffed(program, project))) == {"a.txt"}
    solo(program, project, claude.does("echo 2 > b.txt"), "Create b.txt")
    diff = diffed(program, project, diff["task_id"])
    assert (diff["until"], set(by_path(diff))) == ("next_task", {"a.txt"})


def test_an_ignored_file_that_the_task_names_is_listed(
    program: Program, project: Path, claude: ClaudeScript
) -> None:
    (project / ".gitignore").write_text("*.env\n", encoding="utf-8")
    commit_all(project)
    env = claude.does("echo MODE=1 > local.env")
    ran = solo(program, project, env, "Create local.env with MODE=1")
    assert ran.code == 0, ran.out
    (file,) = diffed(program, project)["files"]
    assert (file["path"], file["kind"], file["contents"]) == ("local.env", "created", "not_kept")


def test_a_key_is_never_shown(program: Program, project: Path, claude: ClaudeScript) -> None:
    solo(program, project, claude.does(f"echo 'key = \"{KEY}\"' > conf.py"), "Create conf.py")
    for arguments in ((), ("--json",)):
        ran = program("diff", *arguments, "--project", str(project))
        assert ran.code == 0
        assert KEY not in ran.out
        assert "conf.py" in ran.out


def test_nothing_changed_and_nothing_there_are_said(
    program: Program, project: Path, claude: ClaudeScript
) -> None:
    ran = program("diff", "--project", str(project))
    assert (ran.code, "no task has begun" in ran.err) == (1, True)
    solo(program, project, claude.does(":", says="It says hello."), "What does notes.md say?")
    ran = program("diff", "--project", str(project))
    assert (ran.code, "changed no file" in ran.out) == (0, True)
    ran = program("diff", "task-x", "--project", str(project))
    assert (ran.code, "E210" in ran.err) == (1, True)


def test_the_conversation_shows_the_last_one(
    program: Program, project: Path, claude: ClaudeScript
) -> None:
    ran = program(
        *("repl", "--non-interactive", "--project", str(project)),
        stdin="/start\nCreate README.md\n/diff\n",
        env=claude.does("echo '# Readme' > README.md"),
    )
    assert ran.code == 0, ran.err
    assert "+# Readme" in ran.out.splitlines()
