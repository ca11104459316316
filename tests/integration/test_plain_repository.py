"""What is read and written without git is what git reads and writes."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pm_orchestrator.adapters.git.rescue.loose_objects import is_loose, write_object, write_ref
from pm_orchestrator.adapters.git.rescue.plain_repository import plain_repository
from pm_orchestrator.testing.benches.git_project import GitProject
from pm_orchestrator.testing.benches.rescue_bench import NAME, RescueBench


@pytest.fixture
def repo(tmp_path: Path) -> GitProject:
    project = GitProject(tmp_path / "project")
    project.commit("start", **{"code.py": "print(1)\n"})
    return project


def as_it_is(_: GitProject) -> None:
    """Refs in files of their own."""


def pack(repo: GitProject) -> None:
    repo.git("pack-refs", "--all")
    assert not (repo.path / ".git/refs/heads/main").exists()


def detach(repo: GitProject) -> None:
    repo.git("checkout", "--quiet", "--detach")


def move_after_packing(repo: GitProject) -> None:
    pack(repo)
    repo.commit("more")


@pytest.mark.parametrize("change", [as_it_is, pack, detach, move_after_packing])
def test_head_is_where_git_says(repo: GitProject, change: Callable[[GitProject], None]) -> None:
    change(repo)
    found = plain_repository(repo.path)
    assert found is not None
    assert found.head == repo.git("rev-parse", "HEAD")
    assert found.object_format == repo.git("rev-parse", "--show-object-format")


def unborn(repo: GitProject) -> None:
    repo.git("checkout", "--quiet", "--orphan", "empty")


def extended(repo: GitProject) -> None:
    repo.git("config", "core.repositoryFormatVersion", "1")
    repo.git("config", "extensions.worktreeConfig", "true")


def shared(repo: GitProject) -> None:
    repo.git("config", "core.sharedRepository", "group")


def broken(repo: GitProject) -> None:
    (repo.path / ".git/HEAD").write_bytes(b"\xff\xfe")


def without_objects(repo: GitProject) -> None:
    (repo.path / ".git/objects").rename(repo.path / ".git/elsewhere")


def climbing(repo: GitProject) -> None:
    (repo.path / ".git/HEAD").write_text("ref: refs/../../secret\n", encoding="utf-8")


@pytest.mark.parametrize("change", [unborn, extended, shared, broken, without_objects, climbing])
def test_what_is_not_plain_is_left_to_git(
    repo: GitProject, change: Callable[[GitProject], None]
) -> None:
    change(repo)
    assert plain_repository(repo.path) is None


def test_a_linked_worktree_and_a_directory_below_are_left_to_git(
    repo: GitProject, tmp_path: Path
) -> None:
    repo.git("worktree", "add", "--quiet", str(tmp_path / "linked"))
    assert plain_repository(tmp_path / "linked") is None
    repo.write("below/file")
    assert plain_repository(repo.path / "below") is None


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_objects_and_refs_are_gits(tmp_path: Path, object_format: str) -> None:
    repo = GitProject(tmp_path / "project", f"--object-format={object_format}")
    content = b"some\0content\n" * 500
    objects = repo.path / ".git" / "objects"
    oid = write_object(objects, object_format, "blob", content)
    assert oid == repo.git("hash-object", "--stdin", stdin=content)
    assert repo.git("cat-file", "-s", oid) == str(len(content))
    assert is_loose(objects, oid)
    assert write_object(objects, object_format, "blob", content) == oid
    write_ref(repo.path / ".git", "refs/pm/rescue/run_001/task", oid)
    assert repo.git("rev-parse", "refs/pm/rescue/run_001/task") == oid
    repo.git("fsck", "--strict", "--no-dangling")


def commands(bench: RescueBench) -> list[str]:
    """Which gits were started since the last call."""
    found = [line.split('"argv":["git","')[1].split('"')[0] for line in bench.git_lines]
    bench.git_lines.clear()
    return sorted(found)


async def test_a_rescue_starts_no_git_whose_answer_is_known(
    repo: GitProject, tmp_path: Path
) -> None:
    bench = RescueBench(repo.path, tmp_path / "state")
    await bench.save()
    commands(bench)
    tree = await bench.tree()
    commands(bench)
    again = await bench.rescue.save(tree, f"{NAME}2")
    assert commands(bench) == []
    assert repo.git("rev-parse", again.ref) == again.commit
    repo.write("code.py", "print(2)\n")
    changed = await bench.rescue.save(await bench.tree(), f"{NAME}3")
    assert commands(bench) == ["add", "ls-files", "ls-files", "write-tree"]
    assert repo.git("show", f"{changed.commit}:code.py") == "print(2)"
    assert repo.git("rev-parse", f"{changed.commit}^1") == repo.git("rev-parse", "HEAD")
    repo.git("fsck", "--strict", "--no-dangling")


async def test_a_rescue_that_was_cleaned_away_is_made_again(
    repo: GitProject, tmp_path: Path
) -> None:
    bench = RescueBench(repo.path, tmp_path / "state")
    first = await bench.save()
    repo.git("update-ref", "-d", first.ref)
    for ref in repo.git("for-each-ref", "--format=%(refname)", "refs/pm").splitlines():
        repo.git("update-ref", "-d", ref)
    repo.git("gc", "--quiet", "--prune=now")
    again = await bench.save()
    assert repo.git("show", f"{again.commit}:code.py") == "print(1)"
    repo.git("fsck", "--strict", "--no-dangling")


async def test_a_tracked_link_is_saved_although_a_rule_ignores_it(
    repo: GitProject, tmp_path: Path
) -> None:
    (repo.path / "link").symlink_to("code.py")
    repo.commit("a link")
    repo.write(".gitignore", "link\n")
    bench = RescueBench(repo.path, tmp_path / "state")
    saved = await bench.save()
    assert repo.git("show", f"{saved.commit}:link") == "code.py"


@pytest.mark.parametrize("below", [".", "a [b]*c? d"])
async def test_our_records_are_ignored_as_a_whole(
    repo: GitProject, tmp_path: Path, below: str
) -> None:
    project = repo.path / below
    repo.write(f"{below}/.claude/settings.json", "{}\n")
    for folder in (".claude/evidence", ".claude/raw/session", ".pm-orchestrator/runtime"):
        repo.write(f"{below}/{folder}/.gitignore", "*\n")
        repo.write(f"{below}/{folder}/one.json", "{}\n")
    bench = RescueBench(project, tmp_path / "state")
    ignored = await bench.ignored.ignored(project)
    assert ignored == {".claude/evidence/", ".claude/raw/", ".pm-orchestrator/"}
