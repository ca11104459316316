"""Files hidden from git in the course of a task are shown again; all else stays as it is."""

import subprocess
from pathlib import Path

import pytest

from pm_orchestrator.evidence.look.git_index import unhidden


class Yard:
    """A repository with an index of git's own making."""

    def __init__(self, root: Path, *settings: str) -> None:
        self.root = root
        self.git("init", "-q", *settings)
        names = ["a.txt", "d/b.txt", "x" * 200 + ".txt", "日本 語.txt"]
        for name in names:
            (root / name).parent.mkdir(exist_ok=True)
            (root / name).write_text("1\n", encoding="utf-8")
        self.git("add", ".")

    def git(self, *words: str) -> str:
        ran = subprocess.run(["git", *words], cwd=self.root, capture_output=True, check=True)
        return ran.stdout.decode()

    @property
    def index(self) -> bytes:
        return (self.root / ".git/index").read_bytes()

    def differs(self, index: bytes) -> list[str]:
        """What git finds changed in the directory by an index."""
        (self.root / ".git/index").write_bytes(index)
        return self.git("-c", "core.quotePath=off", "diff", "--name-only").splitlines()


@pytest.fixture
def yard(tmp_path: Path) -> Yard:
    return Yard(tmp_path)


@pytest.mark.parametrize("mark", ["--assume-unchanged", "--skip-worktree"])
@pytest.mark.parametrize("name", ["a.txt", "d/b.txt", "x" * 200 + ".txt", "日本 語.txt"])
def test_what_was_hidden_is_shown(yard: Yard, mark: str, name: str) -> None:
    before = yard.index
    yard.git("update-index", mark, name)
    (yard.root / name).write_text("22\n", encoding="utf-8")
    hidden = yard.index
    assert yard.differs(hidden) == []
    assert yard.differs(unhidden(hidden, before)) == [name]


def test_what_was_hidden_before_stays_so(yard: Yard) -> None:
    yard.git("update-index", "--assume-unchanged", "a.txt")
    before = yard.index
    yard.git("update-index", "--assume-unchanged", "d/b.txt")
    for name in ("a.txt", "d/b.txt"):
        (yard.root / name).write_text("22\n", encoding="utf-8")
    assert yard.differs(unhidden(yard.index, before)) == ["d/b.txt"]


def test_what_was_staged_stays_so(yard: Yard) -> None:
    before = yard.index
    (yard.root / "a.txt").write_text("22\n", encoding="utf-8")
    (yard.root / "new.txt").write_text("n\n", encoding="utf-8")
    yard.git("add", ".")
    assert unhidden(yard.index, before) == yard.index


def test_another_index_is_left_as_it_is(tmp_path: Path) -> None:
    yard = Yard(tmp_path)
    before = yard.index
    yard.git("update-index", "--assume-unchanged", "a.txt")
    hidden = yard.index
    assert unhidden(hidden, b"") != hidden, "nothing was hidden before"
    spoiled = hidden[:-1] + bytes([hidden[-1] ^ 1])
    yard.git("update-index", "--index-version", "4")
    for other in (b"", b"DIRC", b"x" * 40, spoiled, yard.index):
        assert unhidden(other, before) == other
