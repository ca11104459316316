"""Work beside the project's own tree is seen, said and undone, and other people's is left alone."""

import os
import subprocess
from pathlib import Path

import pytest

from pm_orchestrator.testing.programs.called_program import Program, Ran
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript

pytestmark = [pytest.mark.timeout(60), pytest.mark.unmeasured]


def git(where: Path, *arguments: str) -> str:
    settings = ("user.name=T", "user.email=t@localhost", "protocol.file.allow=always")
    given = [part for setting in settings for part in ("-c", setting)]
    done = subprocess.run(
        ["git", *given, *arguments], cwd=where, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def repository(root: Path, **files: str) -> Path:
    root.mkdir(parents=True)
    git(root, "init", "-q", "-b", "main")
    for name, text in files.items():
        path = root / name.replace("__", "/")
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "Start")
    return root


def contents(root: Path) -> dict[str, tuple[int, bytes]]:
    """Every file of a directory but records and the repository's own, with its mode."""
    own = {".git", ".claude", ".pm-orchestrator"}
    return {
        path.relative_to(root).as_posix(): (path.stat().st_mode, path.read_bytes())
        for path in root.rglob("*")
        if path.is_file() and not own & set(path.relative_to(root).parts)
    }


class Yard:
    """A project, and everything around it."""

    def __init__(self, program: Program, claude: ClaudeScript, top: Path, project: Path) -> None:
        self._program = program
        self._claude = claude
        self.top = top
        self.project = project
        assert self("init").code == 0

    def __call__(self, *words: str) -> Ran:
        return self._program(*words, "--project", str(self.project))

    def solo(self, instruction: str, body: str, *words: str) -> Ran:
        env = self._claude.does(body)
        where = ("--json", "--project", str(self.project))
        return self._program("run", "--solo", instruction, *words, *where, env=env)

    def reply(self, task: str, text: str, body: str) -> Ran:
        where = ("--json", "--project", str(self.project))
        return self._program("reply", task, text, *where, env=self._claude.does(body))

    def said(self, ran: Ran, kind: str) -> list[str]:
        return [f["path"] for f in ran.json.get("findings", []) if f["kind"] == kind]


@pytest.fixture
def part(program: Program, claude: ClaudeScript, tmp_path: Path) -> Yard:
    """A project that is one directory of its repository."""
    top = repository(
        tmp_path / "mono", app__b="b\n", lib__l="l\n", lib__run="#!/bin/sh\n", README="r\n"
    )
    (top / "lib" / "run").chmod(0o755)
    git(top, "commit", "-qam", "Let it run")
    (top / "draft").write_text("not committed\n", encoding="utf-8")
    return Yard(program, claude, top, top / "app")


@pytest.fixture
def whole(program: Program, claude: ClaudeScript, tmp_path: Path) -> Yard:
    """A project with a submodule and a repository that nobody registered."""
    other = repository(tmp_path / "other", s="s\n")
    top = repository(tmp_path / "whole", **{"a.md": "a\n"})
    git(top, "submodule", "--quiet", "add", str(other), "sub")
    git(top, "commit", "-qm", "Add sub")
    repository(top / "nest", n="n\n")
    return Yard(program, claude, top, top)


AROUND = "echo b2 > b; echo l2 > ../lib/l; echo new > ../lib/new; rm ../draft ../lib/run"


def test_around_the_project_it_counts_and_is_undone(part: Yard) -> None:
    before = contents(part.top)
    ran = part.solo("Change b and ../lib/l, and delete ../draft", AROUND)
    changed = {change["path"] for change in ran.json["changes"]}
    assert changed == {"b", "../lib/l", "../lib/new", "../draft", "../lib/run"}
    assert ran.code == 0, ran.out + ran.err
    # What nobody spoke of is said.
    assert set(part.said(ran, "changed_outside")) == {"../lib/new", "../lib/run"}
    worked, task = contents(part.top), ran.json["task_id"]
    undone = part("undo", task)
    assert undone.code == 0, undone.out + undone.err
    assert "../lib/l" in undone.out
    assert contents(part.top) == before
    assert part("undo", task).code == 0
    assert contents(part.top) == worked


def test_a_commit_of_the_whole_leaves_the_undo_as_it_is(part: Yard) -> None:
    """The project's own repository goes on; one inside it with new commits is left alone."""
    before = contents(part.top)
    ran = part.solo(
        "Change b and ../lib/l", "echo b2 > b; echo l2 > ../lib/l; git commit -qam Work"
    )
    undone = part("undo", ran.json["task_id"])
    assert undone.code == 0, undone.out + undone.err
    assert contents(part.top) == before


def test_where_nothing_was_done_there_it_is_not_complete(part: Yard) -> None:
    ran = part.solo("Change ../lib/l", "true")
    assert (ran.code, ran.json["changes"]) == (2, [])
    missing = part.solo("Create ../lib/new", "echo x > ../lib/other")
    assert (missing.code, missing.json["reason"]["params"]["files"]) == (2, "../lib/new")


def test_what_others_do_there_stays(part: Yard) -> None:
    """Somebody works in another part of the repository meanwhile, and afterwards."""
    ran = part.solo("Change b", AROUND)
    (part.top / "lib" / "l").write_text("mine, after the task\n", encoding="utf-8")
    (part.top / "lib" / "more").write_text("mine\n", encoding="utf-8")
    undone = part("undo", ran.json["task_id"])
    assert undone.code == 0, undone.out + undone.err
    left = next(line for line in undone.out.splitlines() if "have changed since" in line)
    assert left.endswith(": ../lib/l")
    found = contents(part.top)
    assert found["lib/l"][1] == b"mine, after the task\n"
    assert {"lib/more", "lib/run", "draft"} <= found.keys()
    assert "lib/new" not in found


def test_a_task_that_goes_on_is_undone_from_its_beginning(part: Yard) -> None:
    before = contents(part.top)
    ran = part.solo("Create ../lib/one and ../lib/two", "echo 1 > ../lib/one; echo b2 > b")
    assert ran.code == 2, ran.out + ran.err
    ended = part.reply(ran.json["task_id"], "create ../lib/two", "echo 2 > ../lib/two")
    assert ended.code == 0, ended.out + ended.err
    worked = contents(part.top)
    assert part("undo", ran.json["task_id"]).code == 0
    assert contents(part.top) == before
    assert part("undo", ran.json["task_id"]).code == 0
    assert contents(part.top) == worked


def test_it_can_be_accepted_as_it_is(part: Yard) -> None:
    ran = part.solo("Create ../lib/one and ../lib/two", "echo 1 > ../lib/one")
    accepted = part("accept", ran.json["task_id"], "--json")
    assert accepted.code == 0, accepted.out + accepted.err
    assert [change["path"] for change in accepted.json["changes"]] == ["../lib/one"]


def test_what_is_outside_the_repository_is_none_of_it(part: Yard) -> None:
    ran = part.solo("Change b", "echo b2 > b; echo x > ../../elsewhere")
    assert [change["path"] for change in ran.json["changes"]] == ["b"]


def test_repositories_inside_are_undone(whole: Yard) -> None:
    before = contents(whole.top)
    heads = [git(whole.top / name, "rev-parse", "HEAD") for name in ("sub", "nest")]
    body = "echo s2 > sub/s; echo new > sub/new; rm nest/n; echo x > nest/x; echo a2 > a.md"
    ran = whole.solo("Change a.md", body)
    assert whole.said(ran, "not_saved") == []
    worked = contents(whole.top)
    assert whole("undo", ran.json["task_id"]).code == 0
    assert contents(whole.top) == before
    assert [git(whole.top / name, "rev-parse", "HEAD") for name in ("sub", "nest")] == heads
    assert whole("undo", ran.json["task_id"]).code == 0
    assert contents(whole.top) == worked


def test_a_repository_inside_with_new_commits_is_left_alone(whole: Yard) -> None:
    commit = "git add -A; git -c user.name=A -c user.email=a@localhost commit -qm more"
    ran = whole.solo("Change a.md", f"echo a2 > a.md; cd nest; echo x > x; {commit}")
    undone = whole("undo", ran.json["task_id"])
    assert undone.code == 0, undone.out + undone.err
    assert "nest/" in undone.out
    assert (whole.top / "a.md").read_text("utf-8") == "a\n"
    assert git(whole.top / "nest", "status", "--porcelain") == ""


def test_what_cannot_be_saved_is_said_before_anybody_works(
    whole: Yard, program: Program, claude: ClaudeScript
) -> None:
    """A repository inside one that is inside, and a file too large to be kept."""
    repository(whole.top / "nest" / "deep", d="d\n")
    with (whole.top / "huge.bin").open("wb") as file:
        os.truncate(file.fileno(), 200 * 1024**2)
    env = claude.does("echo a2 > a.md; echo WORKING >&2")
    ran = program("run", "--solo", "Change a.md", "--project", str(whole.project), env=env)
    lines = ran.out.splitlines()
    assert ran.code == 0, ran.out + ran.err
    told = next(i for i, line in enumerate(lines) if "Not saved before the task" in line)
    work = next(i for i, line in enumerate(lines) if "4/7 Execution" in line)
    assert told < work
    assert "huge.bin" in lines[told]
    assert "nest/deep" in lines[told]
