"""What running code left behind: named when it is new, and left to whoever makes it again."""

import os
import time
from pathlib import Path

import pytest

from pm_orchestrator.evidence.look import by_products
from pm_orchestrator.evidence.look.by_products import made_again, made_by_running

IGNORED = (
    ".claude/",
    "build/",
    ".cache/",
    "local/",
    "node_modules/",
    ".tox/",
    "app.log",
    "pkg/__pycache__/",
)


def write(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x", encoding="utf-8")


def test_new_folders_are_named_as_a_whole(tmp_path: Path) -> None:
    write(tmp_path, "build/old.o")
    time.sleep(0.03)
    since = time.time_ns()
    time.sleep(0.03)
    write(tmp_path, "build/new.o", "build/deep/a.o", ".cache/ok", "app.log")
    write(
        tmp_path, "local/notes", "node_modules/a/build/x", ".tox/build/x", "pkg/__pycache__/a.pyc"
    )
    found = made_by_running(tmp_path, IGNORED, since)
    assert found == (".cache", "app.log", "build/deep", "build/new.o")


@pytest.mark.parametrize("name", [".pytest_cache", ".mypy_cache", ".ruff_cache", ".nox", ".eggs"])
def test_what_tools_keep_for_themselves_is_no_product(tmp_path: Path, name: str) -> None:
    since = time.time_ns() - 10**9
    write(tmp_path, f"{name}/v/x", "app.log")
    assert made_by_running(tmp_path, (*IGNORED, f"{name}/"), since) == ("app.log",)
    assert made_by_running(tmp_path, IGNORED, time.time_ns() + 10**9) == ()


def test_of_very_many_only_what_comes_from_the_future(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(by_products, "MOST_FILES", 1)
    write(tmp_path, "build/a", "build/b")
    os.utime(tmp_path / "build/b", (time.time() + 9999, time.time() + 9999))
    assert made_by_running(tmp_path, IGNORED, 0) == ("build/b",)


def test_a_gate_that_makes_it_again_says_so_by_writing_it() -> None:
    made = (".cache", "dist", "build/a.o")
    assert made_again(made, (".cache/", "build/", "build/a.o")) == (".cache", "build/a.o")
    assert made_again(made, ("src/x",)) == ()
