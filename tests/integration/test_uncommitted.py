"""What a run from HEAD leaves out is told, and nothing of the user's is run or written."""

from pathlib import Path

import pytest

from pm_orchestrator.ports.repository import Uncommitted
from pm_orchestrator.testing.benches.git_project import GitProject
from pm_orchestrator.testing.benches.run_repositories import RunBench

NOTHING = Uncommitted(count=0)


@pytest.fixture
def bench(tmp_path: Path) -> RunBench:
    return RunBench(tmp_path / "run")


@pytest.fixture
def project(tmp_path: Path) -> GitProject:
    project = GitProject(tmp_path / "project")
    files = {"a.txt": "a\n", "gone.txt": "g\n", "kept.txt": "k\n", ".gitignore": "ignored/\n"}
    project.commit("base", **files)
    return project


async def test_a_clean_tree_leaves_nothing_out(bench: RunBench, project: GitProject) -> None:
    project.write("ignored/x", "x")
    project.write(".claude/settings.json", "{}")
    project.write(".pm-orchestrator/runtime/x", "x")
    assert await bench.repository.uncommitted(project.path) == NOTHING


async def test_every_kind_is_counted_once(bench: RunBench, project: GitProject) -> None:
    project.write("a.txt", "edited\n")
    project.write("staged.txt", "staged\n")
    project.git("add", "staged.txt")
    project.write("staged.txt", "and edited again\n")
    (project.path / "gone.txt").unlink()
    project.write("新しい/未追跡.txt", "untracked")
    project.write("caf\udce9", "no text")
    project.write("sub/.claude/x", "ours, of another project")
    found = await bench.repository.uncommitted(project.path)
    expected = ("a.txt", "caf\\xe9", "gone.txt", "staged.txt", "新しい/未追跡.txt")
    assert found == Uncommitted(count=5, first=expected)


async def test_only_the_first_are_named(bench: RunBench, project: GitProject) -> None:
    for number in range(150):
        project.write(f"many/{number:03d}", "x")
    found = await bench.repository.uncommitted(project.path)
    assert found.count == 150
    assert found.first == tuple(f"many/{number:03d}" for number in range(20))


async def test_nothing_is_run_and_nothing_is_written(
    bench: RunBench, project: GitProject, tmp_path: Path
) -> None:
    marker, program = tmp_path / "ran", tmp_path / "trap.sh"
    program.write_text(f'#!/bin/sh\necho "$*" >> {marker}\ncat\n', "utf-8")
    program.chmod(0o755)
    project.commit("attributes", **{".gitattributes": "* filter=evil\nk* filter=odd=na.me\n"})
    for name in ("evil", "odd=na.me"):
        for key in ("clean", "process"):
            with (project.path / ".git/config").open("a", encoding="utf-8") as config:
                config.write(f'[filter "{name}"]\n\t{key} = {program} {name}\n\trequired = true\n')
    project.git("config", "core.fsmonitor", str(program))
    hook = project.path / ".git/hooks/post-index-change"
    hook.parent.mkdir(exist_ok=True)
    hook.write_bytes(program.read_bytes())
    hook.chmod(0o755)
    project.write("a.txt", "edited\n")
    # The same content with another time: git has to read and filter it to know.
    project.write("kept.txt", "k\n")
    before = project.fingerprint()
    marker.unlink(missing_ok=True)
    found = await bench.repository.uncommitted(project.path)
    assert found == Uncommitted(count=1, first=("a.txt",))
    assert not marker.exists()
    assert project.fingerprint() == before


async def test_odd_places_are_no_trouble(
    bench: RunBench, project: GitProject, tmp_path: Path
) -> None:
    unborn = GitProject(tmp_path / "unborn")
    unborn.write("first.txt", "x")
    found = await bench.repository.uncommitted(unborn.path)
    assert found == Uncommitted(count=1, first=("first.txt",))
    plain = tmp_path / "plain"
    plain.mkdir()
    bare = GitProject(tmp_path / "bare.git", "--bare")
    for place in (plain, bare.path):
        assert await bench.repository.uncommitted(place) == NOTHING
    damaged = GitProject(tmp_path / "damaged")
    damaged.commit("x", x="x")
    (damaged.path / ".git/index").write_bytes(b"no index")
    assert await bench.repository.uncommitted(damaged.path) == NOTHING


async def test_conflicts_submodules_locks_and_subdirectories(
    bench: RunBench, project: GitProject, tmp_path: Path
) -> None:
    inner = GitProject(project.path / "module")
    inner.commit("inner", i="i")
    project.git("-c", "advice.addEmbeddedRepo=false", "add", "module")
    project.git("commit", "--quiet", "-m", "with a module")
    inner.write("dirty.txt", "its own business")
    (project.path / ".git/index.lock").write_bytes(b"")
    project.write("deep/er/x", "x")
    expected = Uncommitted(count=1, first=("deep/er/x",))
    assert await bench.repository.uncommitted(project.path) == expected
    assert await bench.repository.uncommitted(project.path / "deep") == expected
    (project.path / ".git/index.lock").unlink()
    inner.commit("moved on", i="j")
    found = await bench.repository.uncommitted(project.path)
    assert found.first == ("deep/er/x", "module")
