"""What the user's repository says about its last commits, its merges and its new refs."""

import shutil
import subprocess
from pathlib import Path
from typing import Literal

import pytest
from msgspec.structs import replace

from pm_orchestrator.adapters.git.command import Git, isolated_environment
from pm_orchestrator.adapters.git.user.git_history import GitHistory
from pm_orchestrator.adapters.subprocesses import LocalCommands
from pm_orchestrator.adapters.system_clock import SystemClock
from pm_orchestrator.domain.judging.effect import Effect, Recorded, Refs

COMMIT = "git commit -q --allow-empty"


async def unheard(line: str) -> None:
    del line


@pytest.mark.parametrize(
    ("body", "amended", "message"),
    [
        (f"{COMMIT} --amend -m 'Start the handbook'", True, "Start the handbook"),
        (f"{COMMIT} --amend --reset-author --no-edit --date=2001-01-01T00:00", True, ""),
        (f"{COMMIT} -m 'Start the handbook'", False, ""),
        ("git branch topic", False, ""),
        ("git checkout -q --orphan bare; git branch -D main", False, ""),
    ],
)
async def test_an_amended_commit_is_told_from_one_more(
    tmp_path: Path, body: str, amended: bool, message: str
) -> None:
    found = await after(tmp_path, f"git init -qb main . && {COMMIT} -m first", body)
    assert (found.amended, found.message) == (amended, message)


TWO = """
git init -qb main .; mkdir sub; echo 1 > both; echo 1 > theirs; echo 1 > sub/kept; git add -A
git commit -qm first; git tag v1
git checkout -qb topic; echo 2 > both; echo 2 > theirs; echo 2 > sub/new; git add -A
git commit -qm topic; git checkout -q main; echo 3 > both; git commit -qam second
"""
MERGE = "git merge -q --no-commit topic || true; echo 4 > both; git add -A; git commit -qm merged"
REBASE = "git checkout -q topic; git rebase -qX ours main; git checkout -q main; git merge -q topic"


@pytest.fixture(scope="module")
def two_branches(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made once; each test works on a copy."""
    project = tmp_path_factory.mktemp("two")
    shell(project, TWO)
    return project


@pytest.fixture
def two(two_branches: Path, tmp_path: Path) -> Path:
    return shutil.copytree(two_branches, tmp_path / "project")


@pytest.mark.parametrize(
    ("at", "body", "left"),
    [
        ("main", MERGE, ""),
        ("", f"{MERGE}; echo 5 > theirs; git commit -qam more", ""),
        ("", "git merge -q -X ours -m merged topic", ""),
        ("", REBASE, ""),
        ("", f"{MERGE}; git branch -qD topic", ""),
        ("", "git checkout -qb both; git merge -q -X ours -m merged topic", ""),
        ("", "git merge -q -s ours -m merged topic", "sub/new theirs"),
        ("", f"{MERGE}; git revert -m 1 --no-edit HEAD", "sub/new theirs"),
        ("", f"{MERGE}; echo 1 > theirs; git commit -qam less", "theirs"),
        ("", "git branch -f topic main; git commit -q --allow-empty -m merged", "sub/new theirs"),
        ("", "git checkout -q topic", None),
        ("main", "git branch other topic", None),
    ],
)
async def test_a_merge_is_known_by_what_it_brought(
    two: Path, at: str, body: str, left: str | None
) -> None:
    found = await after(two, "true", body, Effect(kind="merged", name="topic", at=at))
    assert found.merged == ({} if left is None else {"topic": frozenset(left.split())})


async def test_a_branch_that_was_there_already_brings_nothing(two: Path) -> None:
    merged = Effect(kind="merged", name="topic", at="main")
    found = await after(two, "git merge -q -X ours -m m topic", "true", merged)
    assert found.merged == {"topic": frozenset()}


BRANCH, TAG = Effect(kind="branched", name="new"), Effect(kind="tagged", name="new")
WORK = "echo 5 > mine; git add -A; git commit -qm mine"


@pytest.mark.parametrize(
    ("effect", "at", "body", "right"),
    [
        (BRANCH, "v1", f"git checkout -qb new v1; {WORK}", True),
        (BRANCH, "v1", f"git checkout -qb new; {WORK}", False),
        (BRANCH, "v1", "git tag -f v1 main; git branch new main", False),
        (BRANCH, "topic", "git branch new topic", True),
        (BRANCH, "topic", "git branch new main", False),
        (BRANCH, "main", f"{WORK}; git branch new main", True),
        (BRANCH, "main~1", "git branch new main^", True),
        (BRANCH, "main~1", "git branch new main", False),
        (BRANCH, "scratch", "git branch new topic", True),
        (BRANCH, "(HEAD)", "git branch new topic", True),
        (TAG, "HEAD~1", f"{WORK}; git tag -a -m new new HEAD~1", True),
        (TAG, "HEAD~1", "git tag new", False),
        (TAG, "HEAD", f"{WORK}; git tag new", True),
        (TAG, "HEAD", "git tag new HEAD~1", False),
        (TAG, "HEAD", "true", True),
    ],
)
async def test_a_new_ref_stands_where_it_was_to(
    two: Path, effect: Effect, at: str, body: str, right: bool
) -> None:
    found = await after(two, "true", body, replace(effect, at=at))
    assert found.elsewhere == (frozenset() if right else {"new"})


async def test_what_is_merged_into_a_new_branch_may_go_ahead_of_it(two: Path) -> None:
    asked = (replace(BRANCH, at="v1"), Effect(kind="merged", name="topic"))
    found = await after(two, "true", "git checkout -qb new v1; git merge -q topic", *asked)
    assert found.elsewhere == frozenset()


@pytest.mark.parametrize(
    ("body", "fewer", "dropped"),
    [
        ("git reset -q --soft HEAD~2; git commit -qm all", True, ""),
        ("git reset -q --hard HEAD~2; git commit -q --allow-empty -m all", True, "both mine"),
        ("git commit -q --amend -m all", False, ""),
        ("git checkout -q --orphan one; git commit -qm all", True, ""),
    ],
)
async def test_what_became_of_the_commits_that_others_took_the_place_of(
    two: Path, body: str, fewer: bool, dropped: str
) -> None:
    found = await after(two, WORK, body)
    assert (found.amended, found.fewer, found.dropped) == (True, fewer, set(dropped.split()))


@pytest.mark.parametrize(
    ("body", "right"),
    [
        ("git branch -m topic new", True),
        ("git branch -m topic new; git checkout -q new; git rebase -qX ours main", True),
        ("git branch -qD topic; git branch new main", False),
    ],
)
async def test_a_branch_keeps_its_work_under_another_name(
    two: Path, body: str, right: bool
) -> None:
    found = await after(two, "true", body, Effect(kind="branched", name="new", source="topic"))
    assert found.elsewhere == (frozenset() if right else {"new"})


async def test_new_commits_are_asked_what_they_say_and_what_they_touched(two: Path) -> None:
    body = f"{WORK}; git checkout -q topic; git rm -q both; echo 6 > 'sub/a b'; git add -A"
    told = Effect(kind="committed", name="mine", only=("mine",))
    found = await after(two, "true", f"{body}; git commit -qm Two -m lines", told)
    assert found.messages is not None
    assert set(found.messages) == {"mine", "Two\n\nlines"}
    assert found.touched == {"mine", "both", "sub/a b"}
    inside = await recorded(two / "sub", Refs(head=None), told)
    assert inside.touched is not None
    assert {"kept", "new", "a b", "/both"} <= inside.touched


async def test_without_a_new_commit_nothing_was_said(two: Path) -> None:
    told = Effect(kind="committed", name="mine", only=("mine",))
    found = await after(two, "true", "git tag new", told)
    assert (found.messages, found.touched) == ((), frozenset())


async def after(project: Path, before: str, body: str, *asked: Effect) -> Recorded:
    shell(project, before)
    since = await history().refs(project)
    assert since is not None
    shell(project, body)
    return await recorded(project, since, *asked)


THREE = """
echo 1 > a.txt && git add -A && git commit -qm "Add a"
printf '1\\nmore\\n' > a.txt && git commit -qam "Say more"
echo b > b.txt && git add -A && git commit -qm "Add b"
"""
SAY_MORE = ":/Say more"
# In the same second it would be the very same commit.
LATER = "GIT_COMMITTER_DATE=2038-01-01T00:00:00Z"


@pytest.mark.parametrize(
    ("body", "kind", "name", "so"),
    [
        ("git revert --no-edit HEAD~1", "reverted", SAY_MORE, True),
        ("echo 1 > a.txt; git commit -qam 'Say less'", "reverted", SAY_MORE, True),
        ("git revert --no-edit HEAD", "reverted", SAY_MORE, False),
        # What came after it is gone as well.
        ("git reset -q --hard HEAD~2", "reverted", SAY_MORE, False),
        ("git reset -q --hard HEAD~1", "reverted", "HEAD", True),
        (
            f"git checkout -q -b topic HEAD~2; {LATER} git cherry-pick main~1",
            "picked",
            SAY_MORE,
            True,
        ),
        ("git checkout -q -b topic HEAD~2; git cherry-pick main", "picked", SAY_MORE, False),
        ("git branch topic HEAD~2", "picked", SAY_MORE, False),
    ],
)
async def test_a_named_commit_is_carried_or_not(
    tmp_path: Path, body: str, kind: Literal["picked", "reverted"], name: str, so: bool
) -> None:
    shell(tmp_path, f"git init -q -b main .\n{THREE}")
    since = await history().refs(tmp_path)
    assert since is not None
    shell(tmp_path, body)
    asked, other = Effect(kind=kind, name=name), Effect(kind=kind, name=":/Nobody said so")
    found = await recorded(tmp_path, since, asked, other)
    assert (asked not in found.unpicked, found.unknown) == (so, {other})


@pytest.mark.parametrize(
    ("body", "lost"),
    [
        ("git reset -q --hard HEAD~1", {"b.txt"}),
        ("git checkout -q -b topic HEAD~1", set[str]()),
        ("git commit -q --amend -m 'Add it'", set[str]()),
        ("git branch keep; git reset -q --hard HEAD~1", set[str]()),
    ],
)
async def test_work_to_which_nothing_leads_is_lost(
    tmp_path: Path, body: str, lost: set[str]
) -> None:
    shell(tmp_path, f"git init -q -b main .\n{THREE}")
    since = await history().refs(tmp_path)
    assert since is not None
    shell(tmp_path, body)
    assert (await recorded(tmp_path, since)).lost == lost


async def test_a_file_that_git_still_holds(tmp_path: Path) -> None:
    shell(tmp_path, f"git init -q -b main .\n{THREE}\ngit rm -q --cached a.txt")
    asked = [Effect(kind="untracked", name=name) for name in ("a.txt", "b.txt")]
    assert (await recorded(tmp_path, Refs(), *asked)).tracked == {"b.txt"}


async def recorded(project: Path, since: Refs, *asked: Effect) -> Recorded:
    found = await history().recorded(project, since, asked)
    assert found is not None
    return found


def history() -> GitHistory:
    commands = LocalCommands().trusted()
    return GitHistory(Git(commands, SystemClock(), unheard, isolated_environment(PATH)))


PATH = "/usr/bin:/bin"
ROLES = ("AUTHOR", "COMMITTER")
WHO = {f"GIT_{role}_{what}": "t@localhost" for role in ROLES for what in ("NAME", "EMAIL")}


def shell(project: Path, body: str) -> None:
    subprocess.run(["/bin/sh", "-ec", body], cwd=project, check=True, env={"PATH": PATH, **WHO})


@pytest.mark.parametrize(
    ("body", "unswept"),
    [
        ("git branch -q -D done also", ""),
        ("git branch -q -D done", "also"),
        ("git branch -q -D done also topic", "topic"),
        ("true", "also done"),
    ],
)
async def test_merged_branches_that_were_to_go(two: Path, body: str, unswept: str) -> None:
    effect = Effect(kind="branch_gone", at="main")
    before = "git branch done v1; git branch also; git branch develop"
    found = await after(two, before, body, effect)
    assert found.unswept == frozenset(unswept.split())
