"""What a gate did to the tree is undone, and only that."""

import hashlib
import os
from pathlib import Path

from pm_orchestrator.domain.judging.outcome import FileChange
from pm_orchestrator.evidence.look.stat_cache import FileState
from pm_orchestrator.runner.places.judged.put_back import MEMORY_LIMIT, DeliveredFiles, put_back
from pm_orchestrator.runner.places.plain_files import read_plain


def state(content: bytes, mode: int = 0o644) -> FileState:
    return FileState(hashlib.sha256(content).hexdigest(), len(content), mode)


def test_content_and_mode_come_back(tmp_path: Path) -> None:
    root, aside = tmp_path / "p", tmp_path / "aside"
    (root / "sub").mkdir(parents=True)
    (root / "sub" / "a.sh").write_bytes(b"formatted")
    assert put_back(root, "sub/a.sh", b"mine", state(b"mine", 0o755), aside)
    assert (root / "sub" / "a.sh").read_bytes() == b"mine"
    assert (root / "sub" / "a.sh").stat().st_mode & 0o777 == 0o755
    assert (aside / "sub" / "a.sh").read_bytes() == b"formatted"
    assert [p.name for p in (root / "sub").iterdir()] == ["a.sh"]


def test_a_deleted_file_comes_back(tmp_path: Path) -> None:
    assert put_back(tmp_path, "gone/a.py", b"mine", state(b"mine"), tmp_path / "aside")
    assert (tmp_path / "gone" / "a.py").read_bytes() == b"mine"


def test_nothing_else_is_written(tmp_path: Path) -> None:
    root, outside = tmp_path / "p", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    (root / "out").symlink_to(outside)
    (root / "link").symlink_to(outside / "x")
    aside = tmp_path / "aside"
    assert not put_back(root, "a.py", b"other", state(b"judged"), aside)
    assert not put_back(root, "out/x", b"mine", state(b"mine"), aside)
    assert not put_back(root, "link", b"mine", state(b"mine"), aside)
    assert list(outside.iterdir()) == []


def test_only_plain_files_are_held(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"a")
    (tmp_path / "link").symlink_to("a")
    changes = (
        FileChange(path="a", kind="modified", size=1),
        FileChange(path="link", kind="created", size=1),
        FileChange(path="big", kind="created", size=MEMORY_LIMIT + 1),
        FileChange(path="gone", kind="deleted", size=0),
    )
    kept = DeliveredFiles.of(tmp_path, changes)
    assert kept.contents == {"a": b"a"}
    assert kept.own == {"a", "link", "big"}


def test_only_plain_files_are_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"abc")
    (tmp_path / "link").symlink_to("a")
    os.mkfifo(tmp_path / "pipe")
    assert read_plain(tmp_path / "a") == b"abc"
    assert read_plain(tmp_path / "a", 2) is None
    assert [read_plain(tmp_path / n) for n in (".", "link", "pipe", "none")] == [None] * 4
