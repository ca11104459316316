"""What can be said of a name on the disk before anything is opened."""

from pathlib import Path

import pytest

from pm_orchestrator.runner.places.git_barriers import excludes
from pm_orchestrator.runner.places.plain_files import is_surely_missing


@pytest.mark.parametrize(
    ("name", "missing"),
    [("there", False), ("absent", True), ("there/below", True), ("x" * 300, False)],
    ids=["there", "absent", "below a file", "too long to be told"],
)
def test_only_what_is_surely_not_there_is_missing(
    tmp_path: Path, name: str, *, missing: bool
) -> None:
    (tmp_path / "there").touch()
    assert is_surely_missing(tmp_path / name) is missing


def test_the_lists_of_a_repository_elsewhere_are_not_known(tmp_path: Path) -> None:
    """A worktree or a submodule has a file `.git`, which only says where the repository is."""
    assert excludes(tmp_path) is None
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "config").touch()
    first = excludes(tmp_path)
    assert first is not None
    (tmp_path / ".git" / "config").write_text("[core]\n", "utf-8")
    assert excludes(tmp_path) != first
    (tmp_path / ".git" / "config").unlink()
    (tmp_path / ".git").rmdir()
    (tmp_path / ".git").write_text("gitdir: ../elsewhere\n", "utf-8")
    assert excludes(tmp_path) is None
