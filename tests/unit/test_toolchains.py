"""What was touched among the things that tools have installed."""

import os
from contextlib import nullcontext
from pathlib import Path

import pytest

from pm_orchestrator.evidence.look import toolchains
from pm_orchestrator.evidence.look.toolchains import (
    Toolchains,
    changed_in_toolchains,
    start_files,
)

LATER = 0
"""Everything was touched after this."""
PATIENCE_S = 60.0


def lay(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x", encoding="utf-8")


def test_packages_of_before_are_changed_and_new_ones_matter_where_they_start_unasked(
    tmp_path: Path,
) -> None:
    site = ".venv/lib/python3.12/site-packages"
    lay(tmp_path, "node_modules/@a/b/x.js", f"{site}/old/x.py", f"{site}/old.pth", ".venv/bin/ruff")
    installed = Toolchains.in_project(tmp_path, ["node_modules/", "dist/", "a.log"])
    assert installed.folders == (".venv", "node_modules")
    assert set(start_files(tmp_path, installed)) == {f"{site}/old.pth", ".venv/bin/ruff"}
    lay(
        tmp_path,
        f"{site}/new/x.py",
        f"{site}/new.pth",
        "node_modules/new/x.js",
        "node_modules/.package-lock.json",
        f"{site}/old/__pycache__/x.pyc",
    )
    found = changed_in_toolchains(tmp_path, installed, LATER, PATIENCE_S)
    assert {(c.path, c.kind) for c in found.changes} == {
        ("node_modules/@a/b/x.js", "modified"),
        (f"{site}/old/x.py", "modified"),
        (f"{site}/old.pth", "modified"),
        (".venv/bin/ruff", "modified"),
        (f"{site}/new.pth", "created"),
    }
    assert found.unseen == ()
    assert changed_in_toolchains(tmp_path, installed, 1 << 62, PATIENCE_S).changes == ()


def test_what_lies_in_a_folder_of_programs_belongs_to_it(tmp_path: Path) -> None:
    lay(tmp_path, ".venv/bin/tool/run.py")
    installed = Toolchains.in_project(tmp_path, [])
    lay(tmp_path, ".venv/bin/tool/data.bin", ".venv/bin/other/data.bin")
    found = changed_in_toolchains(tmp_path, installed, LATER, PATIENCE_S)
    assert {(c.path, c.kind) for c in found.changes} == {
        (".venv/bin/tool/run.py", "modified"),
        (".venv/bin/tool/data.bin", "modified"),
    }


@pytest.mark.parametrize(("room", "patience"), [(0, PATIENCE_S), (10, -1.0)])
def test_where_nobody_could_look_to_the_end_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: int, patience: float
) -> None:
    lay(tmp_path, "node_modules/a/x.js", "venv/pyvenv.cfg")
    installed = Toolchains.in_project(tmp_path, [])
    monkeypatch.setattr(toolchains, "MOST_ENTRIES", room)
    found = changed_in_toolchains(tmp_path, installed, LATER, patience)
    assert found.unseen == ("node_modules", "venv")


def test_what_is_gone_by_the_time_it_is_looked_at_was_not_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay(tmp_path, "node_modules/a/gone.js", "node_modules/a/stays.js")
    installed = Toolchains.in_project(tmp_path, [])
    real = os.scandir

    def list_and_lose(folder: str) -> object:
        with real(folder) as found:
            entries = list(found)
        if folder.endswith("/a/"):
            (tmp_path / "node_modules/a/gone.js").unlink()
        return nullcontext(entries)

    monkeypatch.setattr(os, "scandir", list_and_lose)
    found = changed_in_toolchains(tmp_path, installed, LATER, PATIENCE_S)
    assert [c.path for c in found.changes] == ["node_modules/a/stays.js"]
