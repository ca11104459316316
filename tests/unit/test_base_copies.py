"""The tree from before a task, made again out of the one after it."""

import os
from pathlib import Path

import pytest
from typing_extensions import override

from pm_orchestrator.adapters.views.base_copies import LocalBaseCopies
from pm_orchestrator.domain.judging.outcome import FileChange
from pm_orchestrator.ports.rescue import Saved
from pm_orchestrator.ports.saved_files import SavedFile, SavedFiles

SAVED = Saved(ref="refs/pm/rescue/x", commit="a" * 40, place=Path("/nowhere"), head=None)


class Old(SavedFiles):
    """Contents from before, by path."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self._files = files

    @override
    async def differences(self, one: Saved, other: Saved) -> tuple[SavedFile, ...]:
        # There is only one tree here.
        return ()

    @override
    async def read(self, saved: Saved, path: str) -> bytes | None:
        return self._files.get(path)


@pytest.fixture
def after(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project after a task: one file new, one changed, one moved, one gone."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    root = tmp_path / "p"
    for name in ("new.py", "changed.py", "to.py", "same.py", ".git/x", "node_modules/m.js"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"now {name}", encoding="utf-8")
    (root / "link").symlink_to("same.py")
    os.mkfifo(root / "pipe")
    (root / "changed.py").chmod(0o755)
    return root


CHANGES = (
    FileChange(path="new.py", kind="created", size=1),
    FileChange(path="changed.py", kind="modified", size=1),
    FileChange(path="to.py", kind="renamed", size=1, previous_path="sub/from.py"),
    FileChange(path="gone.py", kind="deleted", size=0),
)
OLD = {"changed.py": b"old", "sub/from.py": b"moved", "gone.py": b"was"}


async def test_changes_are_taken_back_in_a_copy(after: Path, tmp_path: Path) -> None:
    async with LocalBaseCopies(Old(OLD)).of(after, SAVED, CHANGES) as copy:
        assert copy is not None
        found = {str(p.relative_to(copy)) for p in copy.rglob("*") if not p.is_dir()}
        assert found == {"changed.py", "sub/from.py", "gone.py", "same.py", "link"}
        assert (copy / "changed.py").read_bytes() == b"old"
        assert (copy / "changed.py").stat().st_mode & 0o777 == 0o755
        assert (copy / "same.py").read_text(encoding="utf-8") == "now same.py"
        assert (copy / "node_modules").readlink() == after / "node_modules"
        (copy / "same.py").write_text("spoiled by a gate", encoding="utf-8")
        (copy / "shut").mkdir(mode=0o500)
    assert (after / "same.py").read_text(encoding="utf-8") == "now same.py"
    assert (after / "node_modules" / "m.js").exists()
    assert list((tmp_path / "tmp").iterdir()) == []


async def test_an_unknown_content_is_no_base(after: Path) -> None:
    known = {"changed.py": b"old", "sub/from.py": b"moved"}
    async with LocalBaseCopies(Old(known)).of(after, SAVED, CHANGES) as copy:
        assert copy is None


async def test_a_large_project_is_not_copied(after: Path, tmp_path: Path) -> None:
    async with LocalBaseCopies(Old(OLD), limit=10).of(after, SAVED, CHANGES) as copy:
        assert copy is None
    assert list((tmp_path / "tmp").iterdir()) == []
