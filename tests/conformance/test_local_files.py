"""The real disk keeps the contract of durable files, and says so when it cannot."""

import asyncio
import errno
import os
import threading
import time
from pathlib import Path

import pytest

from pm_orchestrator.adapters.stores import local_files
from pm_orchestrator.adapters.stores.local_files import LocalFiles
from pm_orchestrator.adapters.stores.write_ahead import ENTRY_LIMIT
from pm_orchestrator.adapters.system_clock import SystemClock
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.testing.contracts.files_contract import FilesContract


@pytest.fixture
def files() -> LocalFiles:
    return LocalFiles(SystemClock())


class TestLocalFiles(FilesContract):
    pass


def name_of(handle: int) -> str:
    return str(Path(f"/proc/self/fd/{handle}").readlink())


def names_in(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


class Synced:
    """Notes which files and directories were fsynced."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.names: list[str] = []
        real = os.fsync

        def fsync(handle: int) -> None:
            self.names.append(name_of(handle))
            real(handle)

        monkeypatch.setattr(local_files.os, "fsync", fsync)


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> Synced:
    return Synced(monkeypatch)


async def test_a_new_file_is_synced_with_every_directory_that_got_a_name(
    files: LocalFiles, tmp_path: Path, synced: Synced
) -> None:
    await files.create(tmp_path / "a" / "b" / "file", b"x")
    expected = {tmp_path / "a" / "b" / "file", tmp_path / "a" / "b", tmp_path / "a", tmp_path}
    assert {Path(name) for name in synced.names} == expected


async def test_a_large_evidence_write_syncs_files_directories_and_log(
    files: LocalFiles, tmp_path: Path, synced: Synced
) -> None:
    (tmp_path / "raw").mkdir()
    new = {tmp_path / "raw" / "1": b"x" * ENTRY_LIMIT, tmp_path / "ev" / "1": b"y"}
    await files.create_and_append(new, tmp_path / "ev" / "chain", b"line\n", tmp_path / "ahead")
    wanted = {*new, tmp_path / "raw", tmp_path / "ev", tmp_path, tmp_path / "ev" / "chain"}
    assert {Path(name) for name in synced.names} == wanted


async def test_an_append_to_an_old_file_needs_no_directory(
    files: LocalFiles, tmp_path: Path, synced: Synced
) -> None:
    (tmp_path / "log").write_bytes(b"old\n")
    await files.append(tmp_path / "log", b"new\n")
    assert synced.names == [str(tmp_path / "log")]


async def test_a_note_waits_for_nothing(files: LocalFiles, tmp_path: Path, synced: Synced) -> None:
    files.note(tmp_path / "heads", b"x")
    assert synced.names == []


async def test_the_line_is_written_after_the_files(
    files: LocalFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []
    real = os.write

    def write(handle: int, data: bytes) -> int:
        order.append(Path(name_of(handle)).name)
        return real(handle, data[:3])

    monkeypatch.setattr(local_files.os, "write", write)
    await files.create_and_append(
        {tmp_path / "new": b"content"}, tmp_path / "log", b"line\n", tmp_path / "ahead"
    )
    assert order[:5] == ["new", "new", "new", "log", "log"]
    assert set(order[5:]) == {"ahead"}
    assert files.read(tmp_path / "new") == b"content"


async def test_readers_see_the_old_or_the_new_and_no_draft_is_left(
    files: LocalFiles, tmp_path: Path
) -> None:
    path = tmp_path / "state"
    versions = [bytes([65 + number]) * 50_000 for number in range(2)]
    await files.replace(path, versions[0])
    stop = threading.Event()
    seen: set[bytes] = set()

    def read() -> None:
        while not stop.is_set():
            seen.add(path.read_bytes())

    reader = threading.Thread(target=read)
    reader.start()
    for number in range(60):
        await files.replace(path, versions[number % 2])
    stop.set()
    reader.join()
    assert seen <= set(versions)
    assert names_in(tmp_path) == ["state"]


async def test_a_link_takes_the_place_of_the_old_one(files: LocalFiles, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        await files.link(tmp_path / "new" / "current", Path("..") / name)
    assert (tmp_path / "new" / "current").resolve() == tmp_path / "two"


async def test_records_are_for_the_user_alone(files: LocalFiles, tmp_path: Path) -> None:
    await files.create(tmp_path / "record", b"x")
    assert (tmp_path / "record").stat().st_mode & 0o077 == 0


async def test_what_the_disk_refuses_is_a_coded_error(
    files: LocalFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_handle: int, _data: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(local_files.os, "write", full)
    path = tmp_path / "file"
    for write in (
        files.create(path, b"x"),
        files.replace(path, b"x"),
        files.append(path, b"x"),
        files.create_and_append({tmp_path / "other": b"x"}, path, b"x", tmp_path / "ahead"),
    ):
        with pytest.raises(PmError, match=r"E902.*No space left"):
            await write
    with pytest.raises(PmError, match="E902"):
        files.note(path, b"x")
    # Neither half a record nor a draft takes the room that is left.
    assert names_in(tmp_path) == ["file"]


async def test_room_that_is_not_there_is_not_taken(
    files: LocalFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_handle: int, _offset: int, _length: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(local_files.os, "posix_fallocate", full)
    with pytest.raises(PmError, match=r"E902.*No space left"):
        await files.keep_room(tmp_path / "room", 1)
    assert names_in(tmp_path) == []


async def test_a_file_in_the_place_of_a_directory_is_a_coded_error(
    files: LocalFiles, tmp_path: Path
) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(PmError, match="E902"):
        await files.create(tmp_path / "file" / "below", b"x")
    with pytest.raises(PmError, match="E902"):
        async with files.exclusive(tmp_path / "file" / "below"):
            pass


@pytest.mark.parametrize(("call", "size"), [("fdatasync", 1), ("fsync", ENTRY_LIMIT)])
async def test_a_failed_sync_is_not_passed_over(
    files: LocalFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, size: int
) -> None:
    def broken(_handle: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(local_files.os, call, broken)
    new = {tmp_path / "first": b"x" * size, tmp_path / "second": b"y"}
    with pytest.raises(PmError, match="E902"):
        await files.create_and_append(new, tmp_path / "log", b"line\n", tmp_path / "ahead")


async def test_a_slow_disk_does_not_stop_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "log").touch()
    files, real = LocalFiles(SystemClock(), quick_s=0.2), os.fsync
    takes = [0.0, 0.3, 0.3, 0.0, 0.0]
    threads: list[int] = []

    def fsync(handle: int) -> None:
        time.sleep(takes[len(threads)])
        threads.append(threading.get_ident())
        real(handle)

    monkeypatch.setattr(local_files.os, "fsync", fsync)
    for _ in takes:
        await files.append(tmp_path / "log", b"line\n")
    here = threading.get_ident()
    # The first slow one is waited for; then nobody waits, until it is quick again.
    assert [thread == here for thread in threads] == [True, True, False, False, True]


async def test_a_begun_write_is_finished_although_its_caller_is_cancelled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = LocalFiles(SystemClock(), quick_s=0)
    begun, proceed = threading.Event(), threading.Event()
    real = os.fsync

    def fsync(handle: int) -> None:
        begun.set()
        assert proceed.wait(10)
        real(handle)

    monkeypatch.setattr(local_files.os, "fsync", fsync)
    task = asyncio.create_task(files.append(tmp_path / "log", b"line\n"))
    await asyncio.to_thread(begun.wait)
    task.cancel()
    await asyncio.sleep(0.01)
    task.cancel()
    await asyncio.sleep(0.01)
    assert not task.done()
    proceed.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert files.read(tmp_path / "log") == b"line\n"


async def test_a_lock_that_is_never_let_go_is_an_error(tmp_path: Path) -> None:
    files = LocalFiles(SystemClock(), lock_timeout_s=0.02)
    async with files.exclusive(tmp_path / "log"):
        with pytest.raises(PmError, match="E402"):
            async with files.exclusive(tmp_path / "log"):
                pass


async def test_a_lock_the_system_refuses_is_not_taken_for_a_busy_one(
    files: LocalFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def flock(_handle: int, _operation: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(local_files.fcntl, "flock", flock)
    with pytest.raises(OSError, match="No locks"):
        async with files.exclusive(tmp_path / "log"):
            pass
