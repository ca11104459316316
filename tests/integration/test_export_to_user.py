"""What a run leaves in the user's repository: our own refs, and not one byte more."""

from pathlib import Path

import pytest

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.setup.providers import VENDOR_KEYS
from pm_orchestrator.testing.benches.git_project import ENVIRONMENT, GitProject
from pm_orchestrator.testing.benches.run_repositories import RunBench

BRANCH = "agent/20260115-abcd-integration"
REF = f"refs/heads/{BRANCH}"
# Where new objects, our refs and their history may appear.
OURS = (".git/objects/", f".git/{REF}", ".git/refs/pm/", ".git/logs/refs/heads/agent/")


@pytest.fixture
def bench(tmp_path: Path) -> RunBench:
    return RunBench(tmp_path / "run")


@pytest.fixture
def project(tmp_path: Path) -> GitProject:
    """A repository in the middle of somebody's work."""
    project = GitProject(tmp_path / "project")
    project.write("sub/日本語.txt", "text\r\n")
    project.commit("base", **{"a.txt": "a\n", "gone.txt": "g\n", ".gitignore": "ignored\n"})
    project.git("tag", "mine")
    project.git("branch", "other")
    project.write("a.txt", "edited, not staged\n")
    project.write("staged.txt", "staged\n")
    project.git("add", "staged.txt")
    project.write("untracked.txt", "untracked\n")
    project.write("ignored", "ignored\n")
    (project.path / "gone.txt").unlink()
    (project.path / "link").symlink_to("nowhere")
    project.git("stash", "push", "--quiet", "--include-untracked")
    project.git("stash", "apply", "--quiet", "--index")
    return project


async def deliver(
    bench: RunBench, project: GitProject, folder: Path, content: str = "made\n"
) -> str:
    base = await bench.repository.import_base(project.path, "HEAD")
    work = GitProject.clone(await bench.repository.bundle(base, BRANCH), folder, BRANCH)
    commit = work.commit("made", **{"made.txt": content})
    await bench.repository.receive(work.bundle(BRANCH), BRANCH, REF)
    return commit


async def test_a_dirty_tree_is_left_byte_for_byte(
    bench: RunBench, project: GitProject, tmp_path: Path
) -> None:
    before = project.fingerprint(but=OURS)
    refs = project.git("for-each-ref")
    commit = await deliver(bench, project, tmp_path / "agent")
    assert project.fingerprint(but=OURS) == before
    await bench.repository.export(project.path, (REF,))
    assert project.fingerprint(but=OURS) == before
    assert project.git("rev-parse", BRANCH) == commit
    left = [line for line in project.git("for-each-ref").splitlines() if BRANCH not in line]
    assert left == refs.splitlines()


async def test_exporting_again_changes_nothing(
    bench: RunBench, project: GitProject, tmp_path: Path
) -> None:
    await deliver(bench, project, tmp_path / "agent")
    await bench.repository.export(project.path, (REF,))
    before = project.fingerprint()
    await bench.repository.export(project.path, (REF,))
    await bench.repository.export(project.path, ())
    assert project.fingerprint() == before


async def test_rescue_refs_come_along(bench: RunBench, project: GitProject, tmp_path: Path) -> None:
    commit = await deliver(bench, project, tmp_path / "agent")
    rescue = "refs/pm/rescue/run_001/01"
    await bench.repository.receive(
        await bench.repository.bundle(commit, "pm-rescue"), "pm-rescue", rescue
    )
    await bench.repository.export(project.path, (REF, rescue))
    assert project.git("rev-parse", rescue) == commit


@pytest.mark.parametrize("linked", [False, True])
async def test_a_branch_the_user_looks_at_is_not_moved(
    bench: RunBench, project: GitProject, tmp_path: Path, linked: bool
) -> None:
    await deliver(bench, project, tmp_path / "agent")
    if linked:
        project.git("worktree", "add", "--quiet", "-b", BRANCH, str(tmp_path / "linked"))
    else:
        project.git("checkout", "--quiet", "-b", BRANCH)
    before = project.fingerprint()
    with pytest.raises(PmError, match="E803"):
        await bench.repository.export(project.path, (REF,))
    assert project.fingerprint() == before


async def test_work_the_user_added_to_our_branch_is_kept(
    bench: RunBench, project: GitProject, tmp_path: Path
) -> None:
    await deliver(bench, project, tmp_path / "one")
    await bench.repository.export(project.path, (REF,))
    tree = project.git("rev-parse", f"{BRANCH}^{{tree}}")
    theirs = project.git("commit-tree", tree, "-p", BRANCH, "-m", "by hand")
    project.git("update-ref", REF, theirs)
    commit = await deliver(bench, project, tmp_path / "two", "made again\n")
    await bench.repository.export(project.path, (REF,))
    assert project.git("rev-parse", BRANCH) == commit
    assert project.git("rev-parse", f"refs/pm/replaced/{theirs}") == theirs


async def test_all_refs_arrive_or_none(
    bench: RunBench, project: GitProject, tmp_path: Path
) -> None:
    commit = await deliver(bench, project, tmp_path / "agent")
    await bench.repository.set_branch("agent/other/deeper", commit)
    project.git("branch", "agent/other")  # a file where a directory would be needed
    before = project.git("for-each-ref")
    with pytest.raises(PmError, match="E801"):
        await bench.repository.export(project.path, (REF, "refs/heads/agent/other/deeper"))
    assert project.git("for-each-ref") == before


async def test_a_push_takes_one_branch_and_never_forces(
    bench: RunBench, project: GitProject, tmp_path: Path
) -> None:
    remote = GitProject(tmp_path / "remote.git", "--bare")
    project.git("remote", "add", "origin", str(remote.path))
    project.git("config", "push.followTags", "true")
    project.git("tag", "-a", "v1", "-m", "would follow")
    commit = await deliver(bench, project, tmp_path / "agent")
    await bench.repository.export(project.path, (REF,))
    await bench.repository.push(project.path, "origin", BRANCH)
    await bench.repository.push(project.path, "origin", BRANCH)
    assert remote.git("for-each-ref", "--format=%(refname) %(objectname)") == f"{REF} {commit}"
    other = remote.git("commit-tree", f"{commit}^{{tree}}", "-m", "theirs")
    remote.git("update-ref", REF, other)
    with pytest.raises(PmError, match="E801"):
        await bench.repository.push(project.path, "origin", BRANCH)
    assert remote.git("rev-parse", REF) == other


async def test_a_push_brings_no_key_of_a_model_along(project: GitProject, tmp_path: Path) -> None:
    keys = dict.fromkeys(VENDOR_KEYS, "a-value")
    theirs = {"GITHUB_TOKEN": "t", "SSH_AUTH_SOCK": "/s", "GIT_ASKPASS": "/a", "HOME": "/h"}
    bench = RunBench(tmp_path / "run", user_env={**ENVIRONMENT, **keys, **theirs})
    project.git("remote", "add", "origin", str(GitProject(tmp_path / "r.git", "--bare").path))
    await deliver(bench, project, tmp_path / "agent")
    await bench.repository.export(project.path, (REF,))
    await bench.repository.push(project.path, "origin", BRANCH)
    # It is the only one that may start what the user has configured, and the only one supervised.
    (push,) = bench.commands.seen
    assert "push" in push.argv
    assert theirs.items() <= push.env.items()
    assert [c for c in (push, *bench.trusted.seen) if VENDOR_KEYS & c.env.keys()] == []


async def test_only_a_remote_of_the_users_is_pushed_to(
    bench: RunBench, project: GitProject, tmp_path: Path
) -> None:
    await deliver(bench, project, tmp_path / "agent")
    await bench.repository.export(project.path, (REF,))
    for remote in ("nowhere", "--mirror", "ext::sh -c true", "../x", ""):
        with pytest.raises(PmError, match="E801"):
            await bench.repository.push(project.path, remote, BRANCH)
