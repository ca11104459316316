"""The run's repository over real git: what goes in, what is seen, what is merged."""

import asyncio
import os
from pathlib import Path

import pytest

from pm_orchestrator.adapters.git.run import run_repository
from pm_orchestrator.adapters.git.run.bare_repository import BareRepository
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.judging.outcome import FileChange
from pm_orchestrator.testing.benches.git_project import GitProject
from pm_orchestrator.testing.benches.run_repositories import RunBench

BRANCH = "agent/20260115-abcd-01-task"
TARGET = f"refs/heads/{BRANCH}"


@pytest.fixture
def bench(tmp_path: Path) -> RunBench:
    return RunBench(tmp_path / "run")


@pytest.fixture
def project(tmp_path: Path) -> GitProject:
    project = GitProject(tmp_path / "project")
    project.write("keep.txt", "kept\n")
    project.write("src/old name.py", "".join(f"line {n}\n" for n in range(40)))
    project.commit("base")
    return project


async def agent(bench: RunBench, base: str, folder: Path, branch: str = BRANCH) -> GitProject:
    return GitProject.clone(await bench.repository.bundle(base, branch), folder, branch)


async def test_the_base_is_the_commit_that_is_checked_out(
    bench: RunBench, project: GitProject
) -> None:
    base = await bench.repository.import_base(project.path, "HEAD")
    assert base == project.git("rev-parse", "HEAD")
    assert await bench.repository.read(base, "keep.txt") == b"kept\n"
    assert await bench.repository.files(base) == ("keep.txt", "src/old name.py")


async def test_a_commit_is_bundled_once_and_goes_out_under_every_name(
    bench: RunBench, project: GitProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = await bench.repository.import_base(project.path, "HEAD")
    first = await bench.repository.bundle(base, "one")
    # What is kept needs nothing of the repository any more.
    (bench.directory / "HEAD").rename(bench.directory / "away")
    second = await bench.repository.bundle(base, "agent/two")
    (bench.directory / "away").rename(bench.directory / "HEAD")
    assert GitProject.clone(second, tmp_path / "b", "agent/two").git("rev-parse", "HEAD") == base
    assert GitProject.clone(first, tmp_path / "a", "one").git("rev-parse", "HEAD") == base
    monkeypatch.setattr(run_repository, "KEPT_BUNDLES", 10)
    project.commit("second", **{"more.txt": "more"})
    more = await bench.repository.import_base(project.path, "HEAD")
    third = await bench.repository.bundle(more, "one")
    assert GitProject.clone(third, tmp_path / "c", "one").git("rev-parse", "HEAD") == more


async def test_the_base_can_be_any_commit_and_be_taken_twice(
    bench: RunBench, project: GitProject
) -> None:
    first = project.git("rev-parse", "HEAD")
    project.git("tag", "-a", "v1", "-m", "tagged")
    project.commit("second", **{"more.txt": "more"})
    for ref in ("v1", first, "HEAD~1", first[:10], "v1"):
        assert await bench.repository.import_base(project.path, ref) == first
    assert await bench.repository.files(first) == ("keep.txt", "src/old name.py")


async def test_a_project_may_be_part_of_a_repository_or_a_linked_worktree(
    bench: RunBench, project: GitProject, tmp_path: Path
) -> None:
    head = project.git("rev-parse", "HEAD")
    project.git("worktree", "add", "--quiet", str(tmp_path / "linked"), "-b", "other")
    assert await bench.repository.import_base(project.path / "src", "HEAD") == head
    assert await bench.repository.import_base(tmp_path / "linked", "HEAD") == head


async def test_nothing_is_shared_with_the_users_storage(
    bench: RunBench, project: GitProject
) -> None:
    await bench.repository.import_base(project.path, "HEAD")
    base = bench.directory.with_name("base.git")
    # What is ours alone builds on what sandboxes see, and that on nothing.
    shared = (bench.directory / "objects/info/alternates").read_text("utf-8")
    assert shared == f"{base}/objects\n"
    assert not (base / "objects/info/alternates").exists()
    assert not (bench.directory / "hooks").exists()
    theirs = {p.stat().st_ino for p in (project.path / ".git").rglob("*") if p.is_file()}
    ours = {p.stat().st_ino for p in bench.directory.parent.rglob("*") if p.is_file()}
    assert theirs & ours == set()


async def test_who_sees_the_base_gets_only_what_is_new(
    bench: RunBench, project: GitProject, tmp_path: Path
) -> None:
    project.commit("large", **{"large.txt": os.urandom(50_000).hex()})
    base = await bench.repository.import_base(project.path, "HEAD")
    work = await agent(bench, base, tmp_path / "agent")
    work.commit("more", **{"more.txt": "more"})
    commit = await bench.repository.receive(work.bundle(BRANCH), BRANCH, TARGET)
    # What an agent made is in no place that others see.
    objects = bench.directory.with_name("base.git")
    seen = BareRepository(bench.git, objects)
    assert (await seen.run("cat-file", "-e", commit, accept=(0, 1, 128))).exit_code != 0
    whole = await bench.repository.bundle(commit, BRANCH)
    rest = await bench.repository.bundle(commit, BRANCH, beyond_base=True)
    assert len(rest) < 2_000 < 40_000 < len(whole)
    assert whole == await bench.repository.bundle(commit, BRANCH)
    assert await bench.repository.tree_size(project.path, base) == sum(
        path.stat().st_size for path in project.path.rglob("*.*") if ".git" not in path.parts
    )


@pytest.mark.parametrize("kind", ["missing", "file", "plain directory"])
async def test_what_is_no_repository_is_refused(bench: RunBench, tmp_path: Path, kind: str) -> None:
    place = tmp_path / "place"
    if kind == "file":
        place.write_text("text", "utf-8")
    elif kind == "plain directory":
        place.mkdir()
    with pytest.raises(PmError, match="E102") as caught:
        await bench.repository.import_base(place, "HEAD")
    assert caught.value.slug == "not_a_repository"
    assert not bench.directory.exists()


async def test_a_repository_without_commits_is_refused(bench: RunBench, tmp_path: Path) -> None:
    empty = GitProject(tmp_path / "empty")
    with pytest.raises(PmError, match="E102") as caught:
        await bench.repository.import_base(empty.path, "HEAD")
    assert caught.value.slug == "no_commits"
    assert not bench.directory.exists()


async def test_a_shallow_clone_is_refused_with_its_cure(
    bench: RunBench, project: GitProject, tmp_path: Path
) -> None:
    project.commit("second")
    shallow = GitProject(tmp_path / "shallow")
    shallow.git("fetch", "--quiet", "--depth=1", f"file://{project.path}", "main:copy")
    with pytest.raises(PmError, match="E102") as caught:
        await bench.repository.import_base(shallow.path, "copy")
    assert "--unshallow" in caught.value.hint()


@pytest.mark.parametrize("ref", ["nowhere", "--all", "HEAD:keep.txt", "HEAD^9", ""])
async def test_a_base_that_names_no_commit_is_refused(
    bench: RunBench, project: GitProject, ref: str
) -> None:
    with pytest.raises(PmError, match="E210"):
        await bench.repository.import_base(project.path, ref)


async def test_every_kind_of_change_is_seen(
    bench: RunBench, project: GitProject, tmp_path: Path
) -> None:
    """E-24: every change is seen in a real repository."""
    base = await bench.repository.import_base(project.path, "HEAD")
    work = await agent(bench, base, tmp_path / "agent")
    work.git("mv", "src/old name.py", "src/新しい名前.py")
    work.write("空 file.txt", "")
    work.write("*.py", "a name, not a pattern\n")
    (work.path / "link").symlink_to("/etc/passwd")
    work.write("keep.txt", "changed\n")
    commit = work.commit("all kinds")
    assert await bench.repository.receive(work.bundle(f"{base}..{BRANCH}"), BRANCH, TARGET)
    size = (work.path / "src/新しい名前.py").stat().st_size
    assert await bench.repository.changes(base, commit) == (
        FileChange(path="*.py", kind="created", size=22),
        FileChange(path="keep.txt", kind="modified", size=8),
        FileChange(path="link", kind="created", size=11),
        FileChange(
            path="src/新しい名前.py", kind="renamed", size=size, previous_path="src/old name.py"
        ),
        FileChange(path="空 file.txt", kind="created", size=0),
    )
    assert await bench.repository.read(commit, "*.py") == b"a name, not a pattern\n"


async def test_deletions_links_and_submodules_are_told_apart(
    bench: RunBench, project: GitProject, tmp_path: Path
) -> None:
    base = await bench.repository.import_base(project.path, "HEAD")
    work = await agent(bench, base, tmp_path / "agent")
    work.git("rm", "--quiet", "keep.txt")
    (work.path / "src/old name.py").unlink()
    (work.path / "src/old name.py").symlink_to("elsewhere")
    work.git("add", "src")
    work.git("update-index", "--add", "--cacheinfo", f"160000,{base},module")
    work.git("commit", "--quiet", "-m", "submodule")
    commit = await bench.repository.receive(work.bundle(BRANCH), BRANCH, TARGET)
    assert await bench.repository.changes(base, commit) == (
        FileChange(path="keep.txt", kind="deleted", size=0),
        FileChange(path="module", kind="created", size=0),
        FileChange(path="src/old name.py", kind="modified", size=9),
    )
    assert await bench.repository.files(commit) == ("src/old name.py",)
    for gone in (
        "src/old name.py",
        "keep.txt",
        "module",
        "src",
        "src/",
        "",
        ".",
        "../x",
        "/etc/passwd",
        "a//b",
    ):
        assert await bench.repository.read(commit, gone) is None


async def test_names_that_are_no_text_are_seen_too(
    bench: RunBench, project: GitProject, tmp_path: Path
) -> None:
    base = await bench.repository.import_base(project.path, "HEAD")
    work = await agent(bench, base, tmp_path / "agent")
    work.write("caf\udce9.txt", "latin\n")
    commit = work.commit()
    await bench.repository.receive(work.bundle(BRANCH), BRANCH, TARGET)
    expected = FileChange(path="caf\\xe9.txt", kind="created", size=6)
    assert await bench.repository.changes(base, commit) == (expected,)


async def test_commits_are_listed_oldest_first_empty_ones_included(
    bench: RunBench, project: GitProject, tmp_path: Path
) -> None:
    base = await bench.repository.import_base(project.path, "HEAD")
    work = await agent(bench, base, tmp_path / "agent")
    one = work.commit("[t-1] 最初\n\nwith a body")
    two = work.commit("[t-1] second", **{"b.txt": "b"})
    await bench.repository.receive(work.bundle(f"{base}..{BRANCH}"), BRANCH, TARGET)
    found = await bench.repository.commits(base, two)
    assert [(c.sha, c.subject) for c in found] == [(one, "[t-1] 最初"), (two, "[t-1] second")]
    assert await bench.repository.commits(two, two) == ()
    assert await bench.repository.changes(base, one) == ()


async def test_descent_is_a_fact_of_the_graph(
    bench: RunBench, project: GitProject, tmp_path: Path
) -> None:
    base = await bench.repository.import_base(project.path, "HEAD")
    work = await agent(bench, base, tmp_path / "agent")
    child = work.commit("child")
    work.git("checkout", "--quiet", "--orphan", "agent/other")
    orphan = work.commit("no parents")
    bundle = work.bundle(BRANCH, "agent/other")
    await bench.repository.receive(bundle, BRANCH, TARGET)
    await bench.repository.receive(bundle, "agent/other", "refs/heads/agent/other")
    assert await bench.repository.descends(child, base)
    assert await bench.repository.descends(base, base)
    assert not await bench.repository.descends(base, child)
    assert not await bench.repository.descends(orphan, base)


async def test_independent_work_is_merged_with_both_parents(
    bench: RunBench, project: GitProject, tmp_path: Path
) -> None:
    base = await bench.repository.import_base(project.path, "HEAD")
    one, two = [
        (await agent(bench, base, tmp_path / n, f"agent/{n}"), f"agent/{n}") for n in ("a", "b")
    ]
    first = one[0].commit("one", **{"one.txt": "1"})
    second = two[0].commit("two", **{"two.txt": "2"})
    for work, name in (one, two):
        await bench.repository.receive(work.bundle(name), name, f"refs/heads/{name}")
    merged = await bench.repository.merge(first, second, "[t] merge: ふたつ")
    assert merged.conflicts == ()
    assert merged.commit is not None
    files = await bench.repository.files(merged.commit)
    assert files == ("keep.txt", "one.txt", "src/old name.py", "two.txt")
    await bench.repository.set_branch("agent/t-integration", merged.commit)
    result = GitProject(bench.directory.parent / "look")
    result.git("fetch", "--quiet", str(bench.directory), "agent/t-integration")
    shown = result.git("log", "-1", "--format=%P|%an|%ae|%aI|%cI|%s", "FETCH_HEAD")
    moment = "2026-01-15T09:00:00+00:00"
    assert shown == "|".join(
        (
            f"{first} {second}",
            "pm-orchestrator",
            "pm-orchestrator@localhost",
            moment,
            moment,
            "[t] merge: ふたつ",
        )
    )


async def test_what_is_already_in_needs_no_merge(
    bench: RunBench, project: GitProject, tmp_path: Path
) -> None:
    base = await bench.repository.import_base(project.path, "HEAD")
    work = await agent(bench, base, tmp_path / "agent")
    child = work.commit("child", c="c")
    await bench.repository.receive(work.bundle(BRANCH), BRANCH, TARGET)
    again = await bench.repository.merge(child, base, "nothing new")
    assert again.commit == child


async def test_conflicts_are_named_and_nothing_is_made(
    bench: RunBench, project: GitProject, tmp_path: Path
) -> None:
    base = await bench.repository.import_base(project.path, "HEAD")
    commits: list[str] = []
    for name in ("a", "b"):
        work = await agent(bench, base, tmp_path / name, f"agent/{name}")
        commits.append(
            work.commit(name, **{"keep.txt": name, "日本.txt": name, f"{name}.txt": name})
        )
        ref = f"refs/heads/agent/{name}"
        await bench.repository.receive(work.bundle(f"agent/{name}"), f"agent/{name}", ref)
    result = await bench.repository.merge(commits[0], commits[1], "no")
    assert result.commit is None
    assert result.conflicts == ("keep.txt", "日本.txt")


async def test_three_agents_hand_over_at_the_same_time(
    bench: RunBench, project: GitProject, tmp_path: Path
) -> None:
    base = await bench.repository.import_base(project.path, "HEAD")
    works = {n: await agent(bench, base, tmp_path / n, f"agent/{n}") for n in ("a", "b", "c")}
    commits = {n: w.commit(n, **{f"{n}.txt": n}) for n, w in works.items()}
    async with asyncio.TaskGroup() as group:
        tasks = {
            n: group.create_task(
                bench.repository.receive(
                    w.bundle(f"{base}..agent/{n}"), f"agent/{n}", f"refs/heads/agent/{n}"
                )
            )
            for n, w in works.items()
        }
    assert {n: task.result() for n, task in tasks.items()} == commits
    assert list(bench.directory.glob("scratch-*")) == []


async def test_a_later_attempt_replaces_the_branch_and_loses_nothing(
    bench: RunBench, project: GitProject, tmp_path: Path
) -> None:
    base = await bench.repository.import_base(project.path, "HEAD")
    work = await agent(bench, base, tmp_path / "agent")
    first = work.commit("first", a="1")
    await bench.repository.receive(work.bundle(BRANCH), BRANCH, TARGET)
    second = work.commit("second", a="2")
    assert await bench.repository.receive(work.bundle(BRANCH), BRANCH, TARGET) == second
    work.git("commit", "--quiet", "--amend", "-m", "rewritten")
    rewritten = work.git("rev-parse", "HEAD")
    assert await bench.repository.receive(work.bundle(BRANCH), BRANCH, TARGET) == rewritten
    await bench.repository.export(project.path, (f"refs/pm/replaced/{second}",))
    with pytest.raises(PmError, match="E801"):
        await bench.repository.export(project.path, (f"refs/pm/replaced/{first}",))


async def test_a_long_history_is_no_trouble(
    bench: RunBench, project: GitProject, tmp_path: Path
) -> None:
    stream = "".join(
        f"commit refs/heads/main\ncommitter A <a@b> {1_700_000_000 + n} +0000\ndata 2\nc\n"
        + ("from refs/heads/main^0\n" if n == 0 else "")
        + f"M 100644 inline dir{n % 7}/file{n}.txt\ndata {len(str(n))}\n{n}\n"
        for n in range(1500)
    )
    project.git("fast-import", "--quiet", stdin=stream.encode())
    base = await bench.repository.import_base(project.path, "HEAD")
    work = await agent(bench, base, tmp_path / "agent")
    for n in range(450):
        (work.path / f"dir{n % 7}/file{n}.txt").write_text("changed\n", "utf-8")
    commit = work.commit("many")
    await bench.repository.receive(work.bundle(BRANCH), BRANCH, TARGET)
    changes = await bench.repository.changes(base, commit)
    assert len(changes) == 450
    assert {c.size for c in changes} == {8}


async def test_repositories_with_longer_object_ids_work(bench: RunBench, tmp_path: Path) -> None:
    project = GitProject(tmp_path / "wide", "--object-format=sha256")
    project.commit("base", a="a")
    base = await bench.repository.import_base(project.path, "HEAD")
    assert len(base) == 64
    bundle = await bench.repository.bundle(base, BRANCH)
    assert await bench.repository.receive(bundle, BRANCH, TARGET) == base


async def test_every_process_leaves_one_line(
    bench: RunBench, project: GitProject, tmp_path: Path
) -> None:
    base = await bench.repository.import_base(project.path, "HEAD")
    work = await agent(bench, base, tmp_path / "agent")
    commit = work.commit("x", x="x")
    await bench.repository.receive(work.bundle(BRANCH), BRANCH, TARGET)
    await bench.repository.merge(base, commit, "line one\nline two")
    with pytest.raises(PmError, match="E801"):
        await bench.repository.files("0" * 40)
    lines = bench.lines()
    assert len(lines) == len(bench.trusted.seen)
    assert all("\n" not in line for line in bench.log)
    assert {line.timestamp for line in lines} == {"2026-01-15T09:00:00.000Z"}
    assert lines[0].argv[1] == "rev-parse"
    failed = lines[-1]
    assert failed.exit_code == 128
    assert failed.error
