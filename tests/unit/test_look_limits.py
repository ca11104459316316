"""A look ends, whatever lies in the directory."""

import hashlib
import os
from io import BytesIO
from pathlib import Path

import pytest

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.evidence.look import limits as rules
from pm_orchestrator.evidence.look.differences import compare
from pm_orchestrator.evidence.look.limits import CHUNK, LARGE, LookBudget, LookLimits
from pm_orchestrator.evidence.look.snapshot import UNREAD, DirectoryWalk, Rules
from pm_orchestrator.evidence.look.stat_cache import StatCache


def walk(root: Path, limits: LookLimits | None = None) -> DirectoryWalk:
    return DirectoryWalk(root, StatCache(), lambda: 0, limits)


def sparse(path: Path, size: int) -> None:
    path.touch()
    os.truncate(path, size)


def test_a_file_too_large_to_read_is_known_by_its_outside(tmp_path: Path) -> None:
    sparse(tmp_path / "big.bin", 1024**4)
    (tmp_path / "small.txt").write_text("x", encoding="utf-8")
    first = walk(tmp_path).look(Rules())
    assert first.files["big.bin"].digest.startswith(UNREAD)
    assert [(odd.kind, odd.path) for odd in first.oddities] == [("large", "big.bin")]
    assert compare(first.files, walk(tmp_path).scan(Rules())) == ()
    sparse(tmp_path / "big.bin", 1024**4 - 1)
    (change,) = compare(first.files, walk(tmp_path).scan(Rules()))
    assert (change.path, change.kind, change.size) == ("big.bin", "modified", 1024**4 - 1)


def test_a_change_that_keeps_size_and_date_is_seen(tmp_path: Path) -> None:
    big = tmp_path / "big.bin"
    sparse(big, LARGE + 1)
    before, dates = walk(tmp_path).scan(Rules()), big.stat()
    with big.open("r+b") as file:
        file.write(b"other")
    os.utime(big, ns=(dates.st_atime_ns, dates.st_mtime_ns))
    assert [c.kind for c in compare(before, walk(tmp_path).scan(Rules()))] == ["modified"]


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        (LookLimits(files=2), "files"),
        (LookLimits(bytes=4), "bytes"),
        (LookLimits(seconds=0), "longer"),
    ],
    ids=["files", "bytes", "seconds"],
)
def test_what_is_more_than_a_look_may_take_is_refused_with_the_reason(
    tmp_path: Path, limits: LookLimits, reason: str
) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / name).write_text("four", encoding="utf-8")
    with pytest.raises(PmError) as refused:
        walk(tmp_path, limits).look(Rules())
    assert refused.value.code == "E904"
    assert reason in refused.value.what()
    assert len(walk(tmp_path).scan(Rules())) == 3


def test_a_file_that_grows_without_end_is_left_while_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was small when its size was asked for, and nobody knows where it would end."""
    (tmp_path / "growing.log").write_text("four", encoding="utf-8")
    monkeypatch.setattr(rules, "LARGE", 3)
    found = walk(tmp_path).look(Rules())
    assert found.files["growing.log"].digest.startswith(UNREAD)
    assert [(odd.kind, odd.path) for odd in found.oddities] == [("large", "growing.log")]


def test_time_passes_in_large_files_too() -> None:
    budget = LookBudget("/project", LookLimits(seconds=0))
    assert budget.read(BytesIO(b"x"), hashlib.sha256())
    with pytest.raises(PmError) as refused:
        budget.read(BytesIO(b"x" * (CHUNK + 1)), hashlib.sha256())
    assert "longer" in refused.value.what()
