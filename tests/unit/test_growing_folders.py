"""Folders that grow with every task are listed once, and still nothing new is missed."""

import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from pm_orchestrator.evidence.look import growing_folders
from pm_orchestrator.evidence.look.growing_folders import GrowingFolders


def fill(folder: Path, *names: str) -> None:
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / name).touch()


def wait_for_the_clock(folder: Path) -> None:
    """Until the folder has not been written for long enough."""
    while time.time_ns() - folder.stat().st_ctime_ns <= growing_folders.CLOCK_STEP_NS:
        time.sleep(0.001)


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The folders that were listed, in order."""
    found: list[Path] = []
    plain = growing_folders.names_in

    def names_in(folder: Path, *endings: str) -> list[str]:
        found.append(folder)
        return plain(folder, *endings)

    monkeypatch.setattr(growing_folders, "names_in", names_in)
    return found


def test_numbers_are_followed_and_not_listed_again(tmp_path: Path, listed: list[Path]) -> None:
    runs = tmp_path / "runs"
    fill(runs, "run_998", "run_999")
    folders = GrowingFolders()
    assert folders.latest(runs, 2) == ["run_998", "run_999"]
    fill(runs, "run_1000", "run_1001")
    assert folders.latest(runs, 3) == ["run_999", "run_1000", "run_1001"]
    assert listed == [runs]


def test_other_names_are_listed_where_something_came(tmp_path: Path, listed: list[Path]) -> None:
    facts = tmp_path / "facts"
    fill(facts, "task-1795114071648.run_005.json", "note.txt")
    wait_for_the_clock(facts)
    folders = GrowingFolders()
    for _ in range(2):
        assert folders.latest(facts, 5, ".json") == ["task-1795114071648.run_005.json"]
    fill(facts, "task-1795114071647.run_004.json")
    assert len(folders.latest(facts, 5, ".json")) == 2
    assert listed == [facts, facts]


def test_what_comes_at_the_same_moment_is_not_missed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A clock that has not moved since the look says nothing."""
    now = time.time_ns()

    def standing(_: Path) -> SimpleNamespace:
        return SimpleNamespace(st_mtime_ns=now, st_ctime_ns=now)

    monkeypatch.setattr(growing_folders, "about", standing)
    monkeypatch.setattr(growing_folders, "time", SimpleNamespace(time_ns=lambda: now))
    facts = tmp_path / "facts"
    folders = GrowingFolders()
    for number in range(3):
        fill(facts, f"a-{number}.json")
        assert len(folders.names(facts)) == number + 1


def test_what_is_not_there_has_no_names(tmp_path: Path) -> None:
    assert GrowingFolders().names(tmp_path / "none") == []
    (tmp_path / "file").touch()
    assert GrowingFolders().names(tmp_path / "file") == []
