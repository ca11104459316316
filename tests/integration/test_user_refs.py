"""Our branches in the user's repository: put aside and brought back, all or none."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.testing.benches.git_project import GitProject
from pm_orchestrator.testing.benches.run_repositories import RunBench

OURS = "refs/heads/agent/t-01-one"
ASIDE = "refs/pm/rescue/run_001/branches/t-01-one"
SECOND = "refs/heads/agent/t-02-two"
SECOND_ASIDE = "refs/pm/rescue/run_001/branches/t-02-two"
BOTH = {OURS: ASIDE, SECOND: SECOND_ASIDE}


@pytest.fixture
def bench(tmp_path: Path) -> RunBench:
    return RunBench(tmp_path / "run")


@pytest.fixture
def project(tmp_path: Path) -> GitProject:
    project = GitProject(tmp_path / "project")
    project.commit("base", a="a")
    project.git("branch", "theirs")
    project.git("update-ref", OURS, project.commit("one", b="b"))
    project.git("update-ref", SECOND, project.commit("two", c="c"))
    return project


def refs(project: GitProject) -> str:
    return project.git("for-each-ref", "--format=%(refname) %(objectname) %(symref);")


async def test_all_branches_are_put_aside_and_come_back(
    bench: RunBench, project: GitProject
) -> None:
    before = refs(project)
    files = project.fingerprint(but=(".git/",))
    tips = {ref: project.git("rev-parse", ref) for ref in BOTH}
    await bench.repository.put_aside(project.path, BOTH)
    assert project.git("for-each-ref", "refs/heads/agent") == ""
    assert {ref: project.git("rev-parse", aside) for ref, aside in BOTH.items()} == tips
    await bench.repository.bring_back(project.path, BOTH)
    assert refs(project) == before
    assert project.fingerprint(but=(".git/",)) == files


names = st.text(st.sampled_from("abz09_"), min_size=1, max_size=6)


def test_aside_and_back_is_the_identity(bench: RunBench, project: GitProject) -> None:
    commits = [project.git("rev-parse", f"HEAD~{number}") for number in range(3)]

    @settings(max_examples=30, deadline=None)
    @given(st.dictionaries(names, names, min_size=1, max_size=5), st.sets(names, max_size=3))
    def there_and_back(moves: dict[str, str], foreign: set[str]) -> None:
        ours = [f"refs/heads/agent/{name}" for name in moves]
        set_refs(project, [*ours, *(f"refs/heads/theirs/{name}" for name in foreign)], commits)
        planned = {
            branch: f"refs/pm/rescue/{place}/{name}"
            for branch, (name, place) in zip(ours, moves.items(), strict=True)
        }
        before = refs(project).splitlines()
        asyncio.run(bench.repository.put_aside(project.path, planned))
        aside = refs(project).splitlines()
        others = [line for line in before if "/agent/" not in line]
        assert [line for line in aside if "/pm/" not in line] == others
        assert len(aside) == len(before)
        asyncio.run(bench.repository.bring_back(project.path, planned))
        assert refs(project).splitlines() == before

    there_and_back()


def set_refs(project: GitProject, wanted: list[str], commits: list[str]) -> None:
    """Let there be these refs beside main, and no other."""
    present = project.git("for-each-ref", "--format=%(refname)").split()
    gone = [f"delete {ref}\n" for ref in present if ref != "refs/heads/main"]
    project.git("update-ref", "--stdin", stdin="".join(gone).encode())
    made = [f"create {ref} {commits[n % len(commits)]}\n" for n, ref in enumerate(wanted)]
    project.git("update-ref", "--stdin", stdin="".join(made).encode())


@pytest.mark.parametrize("linked", [False, True])
async def test_nothing_moves_when_one_branch_is_checked_out(
    bench: RunBench, project: GitProject, tmp_path: Path, linked: bool
) -> None:
    name = SECOND.removeprefix("refs/heads/")
    where = tmp_path / "linked" if linked else project.path
    if linked:
        project.git("worktree", "add", "--quiet", str(where), name)
    else:
        project.git("checkout", "--quiet", name)
    before = refs(project)
    with pytest.raises(PmError, match="E803") as caught:
        await bench.repository.put_aside(project.path, BOTH)
    assert caught.value.params["path"] == str(where)
    assert refs(project) == before


@pytest.mark.parametrize(
    "moves",
    [
        {"refs/heads/theirs": ASIDE},
        {"refs/heads/main": ASIDE},
        {"agent/t-01-one": ASIDE},
        {"refs/pm/rescue/x": ASIDE},
        {OURS: "refs/heads/agent/other"},
        {OURS: "refs/heads/other"},
        {OURS: "refs/tags/x"},
        {OURS: "refs/pm/x y"},
        {OURS: "refs/pm/x\ndelete refs/heads/theirs"},
        {OURS: ASIDE, "refs/heads/agent/../theirs": SECOND_ASIDE},
    ],
)
async def test_only_our_own_refs_are_ever_moved(
    bench: RunBench, project: GitProject, moves: Mapping[str, str]
) -> None:
    before = refs(project)
    for call in (bench.repository.put_aside, bench.repository.bring_back):
        with pytest.raises(PmError, match="E802"):
            await call(project.path, moves)
    assert refs(project) == before


async def test_a_branch_that_is_another_name_of_theirs_is_not_ours(
    bench: RunBench, project: GitProject
) -> None:
    project.git("symbolic-ref", "refs/heads/agent/alias", "refs/heads/theirs")
    before = refs(project)
    with pytest.raises(PmError, match="E802"):
        await bench.repository.put_aside(project.path, {"refs/heads/agent/alias": ASIDE})
    assert refs(project) == before


async def test_a_missing_branch_or_a_taken_place_moves_nothing(
    bench: RunBench, project: GitProject
) -> None:
    project.git("update-ref", SECOND_ASIDE, "HEAD")
    before = refs(project)
    for moves in (
        {OURS: ASIDE, "refs/heads/agent/gone": "refs/pm/rescue/gone"},
        BOTH,
        {OURS: ASIDE, SECOND: ASIDE},
    ):
        with pytest.raises(PmError, match="E801"):
            await bench.repository.put_aside(project.path, moves)
        assert refs(project) == before
    with pytest.raises(PmError, match="E801"):
        await bench.repository.bring_back(project.path, {OURS: ASIDE, SECOND: ASIDE})
    await bench.repository.put_aside(project.path, {})
    assert refs(project) == before


async def test_everything_of_a_run_can_be_exported_at_any_time(
    bench: RunBench, project: GitProject, tmp_path: Path
) -> None:
    assert await bench.repository.own_refs() == {}
    base = await bench.repository.import_base(project.path, "HEAD")
    assert await bench.repository.own_refs() == {}
    work = GitProject.clone(
        await bench.repository.bundle(base, "agent/x"), tmp_path / "agent", "agent/x"
    )
    first = work.commit("first", x="1")
    await bench.repository.receive(work.bundle("agent/x"), "agent/x", "refs/heads/agent/x")
    work.git("commit", "--quiet", "--amend", "-m", "again")
    second = work.git("rev-parse", "HEAD")
    await bench.repository.receive(work.bundle("agent/x"), "agent/x", "refs/heads/agent/x")
    await bench.repository.receive(work.bundle("agent/x"), "agent/x", "refs/pm/rescue/run_001/01")
    expected = {
        "refs/heads/agent/x": second,
        "refs/pm/replaced/" + first: first,
        "refs/pm/rescue/run_001/01": second,
    }
    assert await bench.repository.own_refs() == expected
    await bench.repository.export(project.path, tuple(expected))
    assert {ref: project.git("rev-parse", ref) for ref in expected} == expected
