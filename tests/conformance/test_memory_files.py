"""The fake keeps the same contract, and fails as it is told to."""

from pathlib import Path

import pytest

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.testing.contracts.files_contract import FilesContract
from pm_orchestrator.testing.memory.memory_files import MemoryFiles, PowerCut


class TestMemoryFiles(FilesContract):
    @pytest.fixture
    def files(self) -> MemoryFiles:
        return MemoryFiles()


@pytest.mark.parametrize(("torn", "left"), [(True, b"one\nab"), (False, b"one\n")])
async def test_power_goes_at_the_write_it_was_told(torn: bool, left: bytes) -> None:
    path = Path("/log")
    files = MemoryFiles(die_at=2, torn=torn)
    await files.append(path, b"one\n")
    with pytest.raises(PowerCut):
        await files.append(path, b"abcd")
    assert files.disk[path] == left
    assert files.writes == 2


async def test_a_replacement_is_never_torn() -> None:
    path = Path("/state")
    files = MemoryFiles(die_at=2, torn=True)
    await files.replace(path, b"old")
    with pytest.raises(PowerCut):
        await files.replace(path, b"new")
    assert files.disk[path] == b"old"


async def test_a_full_disk_refuses() -> None:
    with pytest.raises(PmError, match="E902"):
        await MemoryFiles(full=True).create(Path("/x"), b"x")


async def test_reordering_puts_the_line_first(tmp_path: Path) -> None:
    files = MemoryFiles(die_at=2, reorder=True)
    with pytest.raises(PowerCut):
        await files.create_and_append(
            {tmp_path / "new": b"x"}, tmp_path / "log", b"line\n", tmp_path / "ahead"
        )
    files.dump()
    assert (tmp_path / "log").read_bytes() == b"line\n"
    assert list(files.disk) == [tmp_path / "log"]
