"""Rescues in odd surroundings: nested repositories, strange names, locks, lost commits."""

import os
import shutil
from pathlib import Path

import pytest

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.testing.benches.git_project import GitProject
from pm_orchestrator.testing.benches.rescue_bench import NAME, RescueBench as Bench


@pytest.fixture
def repo(tmp_path: Path) -> GitProject:
    project = GitProject(tmp_path / "project")
    project.write("code.py", "print(1)\n")
    project.commit("start")
    return project


@pytest.fixture
def bench(repo: GitProject, tmp_path: Path) -> Bench:
    return Bench(repo.path, tmp_path / "state")


async def test_nested_repositories_are_named_and_left_alone(repo: GitProject, bench: Bench) -> None:
    nested = GitProject(repo.path / "vendor" / "lib")
    nested.commit("inner", **{"inner.c": "int x;\n"})
    empty = GitProject(repo.path / "vendor" / "empty")
    empty.write("draft", "x")
    saved = await bench.save()
    assert "vendor/lib" in saved.skipped
    assert any("vendor/empty" in line for line in saved.skipped)
    before = bench.state()
    repo.write("code.py", "agent\n")
    await bench.undo(saved)
    assert bench.state() == before


async def test_odd_files_and_names_do_no_harm(repo: GitProject, bench: Bench) -> None:
    os.mkfifo(repo.path / "pipe")
    odd = os.fsdecode(b"caf\xe9.txt")
    (repo.path / odd).write_bytes(b"latin")
    (repo.path / odd).chmod(0o640)
    (repo.path / "-n").write_text("option?", encoding="utf-8")
    (repo.path / "new\nline").write_text("two", encoding="utf-8")
    before = bench.state()
    saved = await bench.save()
    for name in (odd, "-n", "new\nline"):
        (repo.path / name).unlink()
    await bench.undo(saved)
    assert bench.state() == before


async def test_an_index_in_use_is_not_pushed_aside(repo: GitProject, bench: Bench) -> None:
    saved = await bench.save()
    repo.write("code.py", "x")
    lock = repo.path / ".git" / "index.lock"
    lock.touch()
    with pytest.raises(PmError) as raised:
        await bench.undo(saved)
    assert raised.value.code == "E402"
    assert lock.exists()


async def test_a_name_can_be_forgotten(repo: GitProject, bench: Bench) -> None:
    saved = await bench.save()
    assert await bench.rescue.find(repo.path, NAME) == saved
    assert await bench.rescue.names(repo.path, "task-1") == (NAME,)
    assert await bench.rescue.names(repo.path, "task-2") == ()
    await bench.rescue.forget(repo.path, saved)
    assert await bench.rescue.find(repo.path, NAME) is None
    assert repo.git("for-each-ref", "refs/pm/rescue") == ""


async def test_a_branch_of_that_name_is_no_rescue(repo: GitProject, bench: Bench) -> None:
    repo.git("update-ref", f"refs/pm/rescue/{NAME}", "HEAD")
    with pytest.raises(PmError) as raised:
        await bench.rescue.find(repo.path, NAME)
    assert raised.value.code == "E801"


async def test_an_unchanged_state_is_saved_by_a_name_alone(repo: GitProject, bench: Bench) -> None:
    first = await bench.save()
    bench.git_lines.clear()
    second = await bench.save("run_002/task-2")
    assert second.commit == first.commit
    assert not any("write-tree" in line for line in bench.git_lines)
    changes = [
        lambda: repo.write("code.py", "print(5)\n"),
        lambda: (repo.path / "code.py").chmod(0o600),
        lambda: repo.git("add", "code.py"),
        lambda: repo.git("commit", "-qam", "new head"),
    ]
    commits = {first.commit}
    for number, change in enumerate(changes):
        change()
        commits.add((await bench.save(f"run_003/task-{number}")).commit)
    assert len(commits) == 1 + len(changes)


async def test_a_remembered_commit_that_is_gone_is_made_again(
    repo: GitProject, bench: Bench
) -> None:
    first = await bench.save()
    await bench.rescue.forget(repo.path, first)
    repo.git("prune", "--expire=now")
    saved = await bench.save()
    repo.write("code.py", "agent")
    await bench.undo(saved)
    assert (repo.path / "code.py").read_text(encoding="utf-8") == "print(1)\n"


async def test_a_repository_that_was_made_anew_is_saved_to(repo: GitProject, bench: Bench) -> None:
    await bench.save()
    shutil.rmtree(repo.path / ".git")
    GitProject(repo.path)
    repo.write("new.py", "print(2)\n")
    before = bench.state()
    saved = await bench.save()
    repo.write("code.py", "agent\n")
    await bench.undo(saved)
    assert bench.state() == before
