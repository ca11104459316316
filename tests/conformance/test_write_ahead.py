"""One fsync is enough: what a power cut takes comes back, and nothing else is touched."""

import asyncio
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from pm_orchestrator.adapters.stores import write_ahead
from pm_orchestrator.adapters.stores.local_files import LocalFiles
from pm_orchestrator.adapters.system_clock import RandomIds, SystemClock
from pm_orchestrator.evidence.chain.integrity import check
from pm_orchestrator.evidence.chain.links import ahead_path, chain_path
from pm_orchestrator.evidence.chain.recorder import EvidenceRecorder
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.ports.recorder import Operation


class Disk:
    """A log with its files; `boot` says which start of the machine we are in."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.log = root / "ev" / "chain"
        self.ahead = root / "state" / "ahead"
        self.boot = 1
        self.files = self.restarted()

    def restarted(self) -> LocalFiles:
        return LocalFiles(SystemClock(), boot=f"boot-{self.boot}")

    async def write(self, number: int, size: int = 10) -> None:
        new = {self.root / "raw" / str(number): b"%d" % number * size}
        await self.files.create_and_append(new, self.log, b"line %d\n" % number, self.ahead)

    async def boot_again(self) -> None:
        self.boot += 1
        self.files = self.restarted()
        await self.files.recover(self.log, self.ahead)

    def content(self) -> dict[str, bytes]:
        paths = [self.log, *sorted((self.root / "raw").iterdir())]
        return {path.name: path.read_bytes() for path in paths}


@pytest.fixture
def disk(tmp_path: Path) -> Disk:
    return Disk(tmp_path)


def zero(path: Path) -> None:
    path.write_bytes(bytes(path.stat().st_size))


def half(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


LOSSES: dict[str, Callable[[Path], None]] = {
    "kept": lambda _path: None,
    "gone": Path.unlink,
    "empty": lambda path: os.truncate(path, 0),
    "half": half,
    "zeros": zero,
}
"""What a file that was not fsynced may look like after a power cut."""


@given(
    st.lists(st.tuples(st.sampled_from(sorted(LOSSES)), st.integers(0, 400)), max_size=6),
    st.sampled_from(sorted(LOSSES)),
    st.integers(0, 3),
)
def test_every_write_that_returned_survives_a_power_cut(
    writes: list[tuple[str, int]], log_loss: str, process_changes: int
) -> None:
    async def scenario(root: Path) -> None:
        disk = Disk(root)
        for number, (_loss, size) in enumerate(writes):
            if number == process_changes:
                disk.files = disk.restarted()
            await disk.write(number, size)
        if not writes:
            return
        before = disk.content()
        for number, (loss, _size) in enumerate(writes):
            LOSSES[loss](root / "raw" / str(number))
        LOSSES[log_loss](disk.log)
        await disk.boot_again()
        assert disk.content() == before
        await disk.write(len(writes))
        assert disk.content()["chain"] == before["chain"] + b"line %d\n" % len(writes)

    root = Path(tempfile.mkdtemp())
    try:
        asyncio.run(scenario(root))
    finally:
        shutil.rmtree(root)


async def test_a_write_waits_for_the_disk_once(disk: Disk, monkeypatch: pytest.MonkeyPatch) -> None:
    await disk.write(1)
    waits: list[str] = []
    real = os.fdatasync

    def count(name: str) -> Callable[[int], None]:
        def sync(handle: int) -> None:
            waits.append(name)
            real(handle)

        return sync

    monkeypatch.setattr(os, "fsync", count("fsync"))
    monkeypatch.setattr(os, "fdatasync", count("fdatasync"))
    await disk.write(2)
    assert waits == ["fdatasync"]


async def test_while_the_machine_stays_up_nothing_is_put_back(disk: Disk) -> None:
    await disk.write(1)
    (disk.root / "raw" / "1").write_bytes(b"altered")
    disk.files = disk.restarted()
    await disk.files.recover(disk.log, disk.ahead)
    assert (disk.root / "raw" / "1").read_bytes() == b"altered"


async def test_nothing_is_brought_back_twice(disk: Disk) -> None:
    await disk.write(1)
    await disk.boot_again()
    (disk.root / "raw" / "1").unlink()
    await disk.boot_again()
    assert not (disk.root / "raw" / "1").exists()


async def test_a_project_that_is_gone_is_not_made_again(disk: Disk) -> None:
    await disk.write(1)
    shutil.rmtree(disk.root / "ev")
    shutil.rmtree(disk.root / "raw")
    await disk.boot_again()
    assert [entry.name for entry in disk.root.iterdir()] == ["state"]


async def test_an_entry_cut_off_by_the_power_cut_counts_for_nothing(disk: Disk) -> None:
    await disk.write(1)
    whole = disk.ahead.stat().st_size
    await disk.write(2)
    os.truncate(disk.ahead, whole + 12)
    (disk.root / "raw" / "1").unlink()
    (disk.root / "raw" / "2").unlink()
    await disk.boot_again()
    assert disk.content() == {"chain": b"line 1\nline 2\n", "1": b"1" * 10}


@pytest.mark.parametrize("cause", ["full", "line added elsewhere"])
async def test_a_checkpoint_makes_everything_durable_and_begins_anew(
    disk: Disk, monkeypatch: pytest.MonkeyPatch, cause: str
) -> None:
    synced: list[Path] = []
    monkeypatch.setattr(write_ahead, "_sync_file_system", synced.append)
    await disk.write(1, 1000)
    before = disk.ahead.stat().st_size
    if cause == "full":
        monkeypatch.setattr(write_ahead, "LIMIT", 100)
    else:
        await disk.files.append(disk.log, b"from elsewhere\n")
    await disk.write(2)
    assert synced == [disk.log.parent]
    assert disk.ahead.stat().st_size < before


async def test_two_processes_take_turns_without_a_checkpoint(
    disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[Path] = []
    monkeypatch.setattr(write_ahead, "_sync_file_system", synced.append)
    both = [disk.files, disk.restarted()]
    for number in range(6):
        disk.files = both[number % 2]
        await disk.write(number)
    assert synced == []
    shutil.rmtree(disk.root / "raw")
    await disk.boot_again()
    assert len(disk.content()) == 7


async def test_the_checkpoint_really_asks_the_system(disk: Disk, tmp_path: Path) -> None:
    await disk.write(1)
    await disk.files.append(disk.log, b"from elsewhere\n")
    await disk.write(2)
    with pytest.raises(FileNotFoundError):
        write_ahead._sync_file_system(tmp_path / "nowhere")


async def test_evidence_is_intact_after_a_power_cut(tmp_path: Path) -> None:
    claude, heads = tmp_path / ".claude", tmp_path / "state" / "heads.json"
    files = LocalFiles(SystemClock(), boot="one")
    recorder = EvidenceRecorder(files, SystemClock(), RandomIds(), Masker(), claude, heads)
    for number in range(5):
        await recorder.record(Operation(type="t", raw=str(number), session_id="s", task_id="t"))
    shutil.rmtree(claude / "raw")
    os.truncate(chain_path(claude), 300)
    assert not check(claude, heads).intact
    later = LocalFiles(SystemClock(), boot="two")
    await later.recover(chain_path(claude), ahead_path(claude, heads))
    report = check(claude, heads)
    assert report.intact
    assert report.committed == 5
