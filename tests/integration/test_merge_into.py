"""Merging into an integration branch of the user's repository, beside their work."""

from pathlib import Path

import pytest

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.testing.benches.git_project import GitProject
from pm_orchestrator.testing.benches.run_repositories import RunBench

BRANCH = "agent/20260115-abcd-integration"


@pytest.fixture
def bench(tmp_path: Path) -> RunBench:
    return RunBench(tmp_path / "run")


@pytest.fixture
def project(tmp_path: Path) -> GitProject:
    """On main, with an edit that is in no commit."""
    project = GitProject(tmp_path / "project")
    project.commit("base", **{"a.txt": "a\n", "b.txt": "b\n"})
    for name in ("develop", "release/1.x"):
        project.git("branch", name)
    project.write("a.txt", "edited, not staged\n")
    project.write("staged.txt", "staged\n")
    project.git("add", "staged.txt")
    return project


async def deliver(bench: RunBench, project: GitProject, folder: Path, **files: str) -> str:
    base = await bench.repository.import_base(project.path, "main")
    work = GitProject.clone(await bench.repository.bundle(base, BRANCH), folder, BRANCH)
    commit = work.commit("made", **files)
    await bench.repository.receive(work.bundle(BRANCH), BRANCH, f"refs/heads/{BRANCH}")
    return commit


def advance(project: GitProject, branch: str, name: str, content: str) -> str:
    """A commit of the user's on a branch that is not checked out."""
    blob = project.git("hash-object", "-w", "--stdin", stdin=content.encode())
    tree = project.git("ls-tree", branch).splitlines()
    kept = [entry for entry in tree if not entry.endswith(f"\t{name}")]
    listing = "\n".join([*kept, f"100644 blob {blob}\t{name}"]) + "\n"
    made = project.git("mktree", stdin=listing.encode())
    commit = project.git("commit-tree", made, "-p", branch, "-m", "theirs")
    project.git("update-ref", f"refs/heads/{branch}", commit)
    return commit


def look(project: GitProject) -> tuple[object, ...]:
    """All that a merge must leave as it is."""
    kept = [line for line in project.git("for-each-ref").splitlines() if "/develop" not in line]
    left_out = (".git/objects/", ".git/refs/heads/develop", ".git/logs/refs/heads/develop")
    return kept, project.fingerprint(but=left_out)


async def test_a_branch_that_is_behind_is_moved_forward(
    bench: RunBench, project: GitProject, tmp_path: Path
) -> None:
    commit = await deliver(bench, project, tmp_path / "agent", **{"made.txt": "made\n"})
    before = look(project)
    result = await bench.repository.merge_into(project.path, "develop", commit, "merge")
    assert (result.commit, result.conflicts) == (commit, ())
    assert project.git("rev-parse", "develop") == commit
    assert look(project) == before
    again = await bench.repository.merge_into(project.path, "develop", commit, "merge")
    assert again.commit == commit
    assert project.git("rev-parse", "develop") == commit


async def test_a_branch_that_went_on_gets_a_merge_with_both_parents(
    bench: RunBench, project: GitProject, tmp_path: Path
) -> None:
    commit = await deliver(bench, project, tmp_path / "agent", **{"made.txt": "made\n"})
    theirs = advance(project, "develop", "b.txt", "theirs\n")
    before = look(project)
    result = await bench.repository.merge_into(project.path, "develop", commit, "Merge the run")
    assert project.git("rev-parse", "develop") == result.commit
    assert (
        project.git("log", "-1", "--format=%P|%s", "develop") == f"{theirs} {commit}|Merge the run"
    )
    assert project.git("show", "develop:b.txt") == "theirs"
    assert project.git("show", "develop:made.txt") == "made"
    assert look(project) == before
    project.git("fsck", "--strict")


async def test_conflicts_are_returned_and_nothing_moves(
    bench: RunBench, project: GitProject, tmp_path: Path
) -> None:
    commit = await deliver(bench, project, tmp_path / "agent", **{"b.txt": "ours\n"})
    theirs = advance(project, "develop", "b.txt", "theirs\n")
    before = look(project)
    result = await bench.repository.merge_into(project.path, "develop", commit, "merge")
    assert (result.commit, result.conflicts) == (None, ("b.txt",))
    assert project.git("rev-parse", "develop") == theirs
    assert look(project) == before


async def test_a_configured_branch_of_any_plain_name_works(
    bench: RunBench, project: GitProject, tmp_path: Path
) -> None:
    commit = await deliver(bench, project, tmp_path / "agent", **{"made.txt": "made\n"})
    await bench.repository.merge_into(project.path, "release/1.x", commit, "merge")
    assert project.git("rev-parse", "release/1.x") == commit


@pytest.mark.parametrize("branch", ["main", "master", "MAIN", "Master", "-x", "a b", "a..b", ""])
async def test_some_branches_are_never_merged_into(
    bench: RunBench, project: GitProject, tmp_path: Path, branch: str
) -> None:
    """E-8: main is never merged into."""
    commit = await deliver(bench, project, tmp_path / "agent", **{"made.txt": "made\n"})
    project.git("checkout", "--quiet", "--force", "develop")
    before = project.git("for-each-ref")
    with pytest.raises(PmError, match="E802"):
        await bench.repository.merge_into(project.path, branch, commit, "merge")
    assert project.git("for-each-ref") == before


async def test_another_name_of_main_does_not_lead_there(
    bench: RunBench, project: GitProject, tmp_path: Path
) -> None:
    commit = await deliver(bench, project, tmp_path / "agent", **{"made.txt": "made\n"})
    project.git("checkout", "--quiet", "--force", "develop")
    project.git("symbolic-ref", "refs/heads/staging", "refs/heads/main")
    before = project.git("for-each-ref")
    with pytest.raises(PmError, match="E802"):
        await bench.repository.merge_into(project.path, "staging", commit, "merge")
    assert project.git("for-each-ref") == before


async def test_a_branch_that_is_not_there_is_not_made(
    bench: RunBench, project: GitProject, tmp_path: Path
) -> None:
    commit = await deliver(bench, project, tmp_path / "agent", **{"made.txt": "made\n"})
    with pytest.raises(PmError, match="E210"):
        await bench.repository.merge_into(project.path, "staging", commit, "merge")
    assert project.git("for-each-ref", "refs/heads/staging") == ""


@pytest.mark.parametrize("linked", [False, True])
async def test_a_branch_somebody_looks_at_is_not_moved(
    bench: RunBench, project: GitProject, tmp_path: Path, linked: bool
) -> None:
    commit = await deliver(bench, project, tmp_path / "agent", **{"made.txt": "made\n"})
    if linked:
        project.git("worktree", "add", "--quiet", str(tmp_path / "linked"), "develop")
    else:
        project.git("checkout", "--quiet", "--force", "develop")
    before = project.fingerprint()
    with pytest.raises(PmError, match="E803"):
        await bench.repository.merge_into(project.path, "develop", commit, "merge")
    assert project.fingerprint() == before
