"""Rescue refs and the way back, with real git."""

import asyncio
import shutil
from pathlib import Path

import pytest

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.testing.benches.git_project import GitProject
from pm_orchestrator.testing.benches.rescue_bench import NAME, RescueBench as Bench


def git_state(project: GitProject) -> dict[str, bytes]:
    """Index, HEAD, branches and reflogs, byte for byte."""
    home = project.path / ".git"
    wanted = [home / "index", home / "HEAD", *home.glob("refs/heads/**/*"), *home.glob("logs/**/*")]
    return {str(p.relative_to(home)): p.read_bytes() for p in wanted if p.is_file()}


@pytest.fixture
def repo(tmp_path: Path) -> GitProject:
    project = GitProject(tmp_path / "project")
    project.write("code.py", "print(1)\n")
    project.write("gone.md", "to be deleted\n")
    project.write("move.md", "to be moved\n")
    project.write("tool.sh", "#!/bin/sh\n").chmod(0o755)
    project.write(".gitignore", "secret.env\nbuild/\n")
    project.commit("start")
    return project


@pytest.fixture
def bench(repo: GitProject, tmp_path: Path) -> Bench:
    return Bench(repo.path, tmp_path / "state")


def make_dirty(repo: GitProject) -> None:
    repo.write("code.py", "print(2)\n")
    repo.git("add", "code.py")
    repo.write("code.py", "print(3)\n")
    repo.write("日本語/新規.md", "こんにちは\n")
    repo.write("bin.dat", bytes(range(256)) * 50)
    (repo.path / "link").symlink_to("code.py")
    (repo.path / "dangling").symlink_to("/nowhere/at/all")
    (repo.path / "gone.md").unlink()
    repo.write("private.txt", "x").chmod(0o600)
    repo.write("fixed.txt", "read-only\n").chmod(0o444)
    repo.write("secret.env", "KEY=1\n")
    repo.write("build/out.o", "object\n")


def wreck(root: Path) -> None:
    """What a task might do."""
    (root / "code.py").write_text("print('agent')\n", encoding="utf-8")
    (root / "日本語" / "新規.md").unlink()
    (root / "bin.dat").rename(root / "moved.dat")
    (root / "link").unlink()
    (root / "link").mkdir()
    (root / "link" / "inside").write_text("x", encoding="utf-8")
    (root / "tool.sh").chmod(0o644)
    (root / "private.txt").chmod(0o644)
    (root / "fixed.txt").unlink()
    (root / "move.md").unlink()
    (root / "new" / "deep").mkdir(parents=True)
    (root / "new" / "deep" / "file").write_text("new", encoding="utf-8")
    (root / "gone.md").write_text("back again", encoding="utf-8")


async def test_saving_touches_nothing_of_the_users(repo: GitProject, bench: Bench) -> None:
    make_dirty(repo)
    before, files = git_state(repo), repo.fingerprint(but=(".git",))
    saved = await bench.save()
    assert git_state(repo) == before
    assert repo.fingerprint(but=(".git",)) == files
    assert repo.git("rev-parse", f"refs/pm/rescue/{NAME}") == saved.commit
    assert repo.git("show", f"refs/pm/rescue/{NAME}:code.py") == "print(3)"
    assert "secret.env" not in repo.git("ls-tree", "-r", "--name-only", saved.commit)
    staged = repo.git("rev-parse", f"{saved.commit}^2")
    assert repo.git("show", f"{staged}:code.py") == "print(2)"
    assert not (repo.path / ".git" / "logs" / "refs" / "pm").exists()
    repo.git("fsck", "--strict")


async def test_what_is_saved_again_beside_another_stays_one_commit(
    repo: GitProject, bench: Bench
) -> None:
    before = await bench.save()
    make_dirty(repo)
    first = await bench.rescue.save(await bench.tree(), f"{NAME}.after", beside=before)
    # The time of a commit is part of it, and git counts in seconds.
    await asyncio.sleep(1.05)
    again = await bench.rescue.save(await bench.tree(), f"{NAME}.after", beside=before)
    assert again.commit == first.commit
    repo.write("code.py", "print(4)\n")
    other = await bench.rescue.save(await bench.tree(), f"{NAME}.after", beside=before)
    assert other.commit != first.commit


async def test_undo_restores_and_can_be_undone(repo: GitProject, bench: Bench) -> None:
    make_dirty(repo)
    before, index = bench.state(), git_state(repo)
    saved = await bench.save()
    wreck(repo.path)
    repo.git("add", "--all")
    wrecked = bench.state()
    undone, restored = await bench.undo(saved)
    assert bench.state() == before
    assert git_state(repo) == index
    assert restored.index_restored
    assert "new/deep/file" in restored.removed
    assert "日本語/新規.md" in restored.written
    assert not (repo.path / "new").exists()
    again, _ = await bench.undo(undone, f"{NAME}.redone")
    assert bench.state() == wrecked
    await bench.undo(again, f"{NAME}.third")
    assert bench.state() == before


async def test_the_same_work_done_again_is_undone_again(repo: GitProject, bench: Bench) -> None:
    """What was saved last is remembered, and must not be taken for what lies there by now."""
    before = bench.state()
    saved = await bench.save()
    for _ in range(2):
        repo.write("code.py", "print('agent')\n")
        repo.write("new.py", "print('new')\n")
        await bench.undo(saved)
        assert bench.state() == before


async def test_without_a_repository_the_same_work_is_undone_again(tmp_path: Path) -> None:
    """No index of the user's tells the two apart: putting back must start from what lies there."""
    (tmp_path / "a.txt").write_text("a\n", encoding="utf-8")
    bench = Bench(tmp_path, tmp_path.with_name(f"{tmp_path.name}.state"))
    before = bench.state()
    saved = await bench.save()
    for _ in range(2):
        (tmp_path / "new.py").write_text("print('new')\n", encoding="utf-8")
        await bench.undo(saved)
        assert bench.state() == before


async def test_contents_pass_through_no_filter(
    repo: GitProject, bench: Bench, tmp_path: Path
) -> None:
    marker = tmp_path / "ran"
    repo.git("config", "core.autocrlf", "true")
    repo.git("config", "filter.evil.clean", f"touch {marker}; tr a-z A-Z")
    repo.git("config", "filter.evil.smudge", f"touch {marker}; cat")
    repo.write(
        ".gitattributes",
        "*.txt text eol=lf\n*.dat filter=evil\n*.id ident\n*.u16 working-tree-encoding=UTF-16\n",
    )
    contents = {
        "a.txt": b"one\r\ntwo\r\nthree\n",
        "b.dat": b"lower case",
        "c.id": b"$Id$ $Id: x $",
        "d.u16": "\ufeffwide".encode("utf-16-le"),
    }
    for name, content in contents.items():
        repo.write(name, content)
    before = bench.state()
    saved = await bench.save()
    for name in contents:
        repo.write(name, b"changed")
    await bench.undo(saved)
    assert bench.state() == before
    assert not marker.exists()


async def test_hooks_and_monitors_are_never_run(
    repo: GitProject, bench: Bench, tmp_path: Path
) -> None:
    marker = tmp_path / "ran"
    hooks = repo.path / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("reference-transaction", "post-index-change", "post-checkout", "pre-commit"):
        hook = hooks / name
        hook.write_text(f"#!/bin/sh\ntouch {marker}\n", encoding="utf-8")
        hook.chmod(0o755)
    repo.git("config", "core.fsmonitor", f"touch {marker}")
    make_dirty_without_index(repo)
    saved = await bench.save()
    wreck_little(repo)
    await bench.undo(saved)
    assert not marker.exists()


def make_dirty_without_index(repo: GitProject) -> None:
    repo.write("code.py", "print(9)\n")


def wreck_little(repo: GitProject) -> None:
    repo.write("code.py", "print(10)\n")


async def test_dropping_an_ignore_rule_costs_no_file(repo: GitProject, bench: Bench) -> None:
    make_dirty(repo)
    saved = await bench.save()
    (repo.path / ".gitignore").unlink()
    repo.write("build/late.o", "later\n")
    before = bench.state()
    undone, restored = await bench.undo(saved)
    after = bench.state()
    assert after["secret.env"] == before["secret.env"]
    assert after["build/out.o"] == before["build/out.o"]
    assert after["build/late.o"] == before["build/late.o"]
    assert after[".gitignore"][1] == b"secret.env\nbuild/\n"
    assert not {"secret.env", "build/out.o", "build/late.o"} & set(restored.removed)
    repo.write("secret.env", "KEY=2\n")
    await bench.undo(undone, f"{NAME}.redone")
    assert bench.state()["secret.env"][1] == b"KEY=2\n"
    assert ".gitignore" not in bench.state()


async def test_hiding_a_file_by_a_rule_does_not_hide_it_from_undo(
    repo: GitProject, bench: Bench
) -> None:
    repo.write("draft.md", "my draft\n")
    before = bench.state()
    saved = await bench.save()
    repo.write(".gitignore", "*\n")
    repo.write("draft.md", "agent's\n")
    await bench.undo(saved)
    assert bench.state() == before


async def test_a_tracked_file_is_saved_although_a_rule_ignores_it(
    repo: GitProject, bench: Bench
) -> None:
    repo.write("build/kept.txt", "tracked\n")
    repo.git("add", "--force", "build/kept.txt")
    repo.git("commit", "-qm", "kept")
    saved = await bench.save()
    before = bench.state()
    repo.write("build/kept.txt", "agent\n")
    await bench.undo(saved)
    assert bench.state() == before


async def test_moved_branches_are_reported_and_left(repo: GitProject, bench: Bench) -> None:
    repo.write("code.py", "print(7)\n")
    before = bench.state()
    saved = await bench.save()
    head = repo.git("rev-parse", "HEAD")
    moved = repo.commit("agent's commit", **{"code.py": "print(8)\n"})
    _, restored = await bench.undo(saved)
    assert bench.state() == before
    assert (restored.head_was, restored.head_is) == (head, moved)
    assert repo.git("rev-parse", "HEAD") == moved
    assert not restored.index_restored
    assert await bench.rescue.descends(repo.path, moved, head)
    assert not await bench.rescue.descends(repo.path, head, moved)


async def test_a_repository_without_commits(tmp_path: Path) -> None:
    repo = GitProject(tmp_path / "project")
    repo.write("first.md", "mine\n")
    bench = Bench(repo.path, tmp_path / "state")
    saved = await bench.save()
    assert saved.head is None
    repo.write("first.md", "agent\n")
    repo.write("second.md", "agent\n")
    _, restored = await bench.undo(saved)
    assert {name: content for name, (_, content) in bench.state().items()} == {
        "first.md": b"mine\n"
    }
    assert restored.removed == ("second.md",)


@pytest.mark.parametrize("becomes_repository", [False, True])
async def test_no_repository_at_all(tmp_path: Path, *, becomes_repository: bool) -> None:
    root = tmp_path / "plain"
    (root / "docs").mkdir(parents=True)
    (root / "docs" / "a.md").write_bytes(b"a\r\n")
    bench = Bench(root, tmp_path / "state")
    saved = await bench.save()
    before = bench.state()
    assert not (root / ".git").exists()
    shutil.rmtree(root / "docs")
    (root / "b.md").write_text("b", encoding="utf-8")
    if becomes_repository:
        GitProject(root)
        assert await bench.rescue.find(root, NAME) == saved
    wrecked = bench.state()
    undone, _ = await bench.undo(saved)
    assert bench.state() == before
    await bench.undo(undone, f"{NAME}.again")
    assert bench.state() == wrecked


async def test_the_private_place_has_a_limit_that_is_said(tmp_path: Path) -> None:
    root = tmp_path / "plain"
    root.mkdir()
    (root / "large").write_bytes(b"x" * 1001)
    with pytest.raises(PmError) as raised:
        await Bench(root, tmp_path / "state", limit=1000).save()
    assert raised.value.code == "E904"
    assert "at most 1000" in raised.value.what()
