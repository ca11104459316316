"""Another tree made out of the project, in a place of its own."""

import os
from pathlib import Path

import pytest

from pm_orchestrator.adapters.views.copies import LocalCopies
from pm_orchestrator.ports.tree_views import Patch, PatchedFile


@pytest.fixture
def after(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project after a task: one file new, one changed, one moved, one gone."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    root = tmp_path / "p"
    for name in (
        "new.py",
        "changed.py",
        "to.py",
        "same.py",
        "folder/x",
        ".git/x",
        "node_modules/m.js",
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"now {name}", encoding="utf-8")
    (root / "link").symlink_to("same.py")
    os.mkfifo(root / "pipe")
    (root / "changed.py").chmod(0o755)
    return root


PATCH = Patch(
    files={
        "changed.py": PatchedFile(content=b"old", mode=0o755),
        "sub/from.py": PatchedFile(content=b"moved"),
        "gone.py": PatchedFile(content=b"was"),
        "led": PatchedFile(content=b"same.py", link=True),
    },
    gone=("new.py", "to.py", "folder"),
)


async def test_a_copy_is_the_project_with_a_patch(after: Path, tmp_path: Path) -> None:
    async with LocalCopies().of(after, PATCH) as copy:
        assert copy is not None
        found = {str(p.relative_to(copy)) for p in copy.rglob("*") if not p.is_dir()}
        assert found == {"changed.py", "sub/from.py", "gone.py", "same.py", "link", "led", ".git/x"}
        assert (copy / "changed.py").read_bytes() == b"old"
        assert (copy / "changed.py").stat().st_mode & 0o777 == 0o755
        assert (copy / "same.py").read_text(encoding="utf-8") == "now same.py"
        assert (copy / "node_modules").readlink() == after / "node_modules"
        (copy / "same.py").write_text("spoiled by a gate", encoding="utf-8")
        (copy / "shut").mkdir(mode=0o500)
    assert (after / "same.py").read_text(encoding="utf-8") == "now same.py"
    assert (after / "node_modules" / "m.js").exists()
    assert list((tmp_path / "tmp").iterdir()) == []


async def test_a_large_project_is_not_copied(after: Path, tmp_path: Path) -> None:
    async with LocalCopies(limit=10).of(after, PATCH) as copy:
        assert copy is None
    assert list((tmp_path / "tmp").iterdir()) == []


async def test_what_is_only_linked_is_not_changed(after: Path) -> None:
    patch = Patch(files={"node_modules/m.js": PatchedFile(content=b"old")})
    async with LocalCopies().of(after, patch) as copy:
        assert copy is None
    assert (after / "node_modules" / "m.js").read_text(encoding="utf-8") == "now node_modules/m.js"
