"""Both kinds of owners keep the same promises."""

import os
from pathlib import Path

import pytest
from typing_extensions import override

from pm_orchestrator.adapters.stores.owner_files import LocalOwners
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.ports.ownership import Owners
from pm_orchestrator.testing.contracts.owners_contract import OwnersContract
from pm_orchestrator.testing.memory.memory_owners import MemoryOwners


class TestLocalOwners(OwnersContract):
    @pytest.fixture
    @override
    def owners(self) -> Owners:
        return LocalOwners()

    def test_the_holder_is_named(self, tmp_path: Path) -> None:
        first = LocalOwners().take(tmp_path / "thing.json", "it")
        with pytest.raises(PmError, match=f"process {os.getpid()}"):
            LocalOwners().take(tmp_path / "thing.json", "it")
        first.release()

    def test_a_torn_record_is_never_trusted(self, tmp_path: Path) -> None:
        LocalOwners().take(tmp_path / "thing.json", "it").release()
        record = tmp_path / "thing.json"
        record.write_bytes(record.read_bytes()[:9])
        for _ in range(2):
            with pytest.raises(PmError, match="E302"):
                LocalOwners().take(record, "it")

    def test_a_deleted_record_stops_its_owner(self, tmp_path: Path) -> None:
        owner = LocalOwners().take(tmp_path / "thing.json", "it")
        (tmp_path / "thing.json").unlink()
        with pytest.raises(PmError, match="E402"):
            owner.confirm()
        owner.release()

    def test_a_place_that_cannot_be_written(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("", "utf-8")
        with pytest.raises(PmError, match="E902"):
            LocalOwners().take(tmp_path / "file" / "thing.json", "it")


class TestMemoryOwners(OwnersContract):
    @pytest.fixture
    @override
    def owners(self) -> Owners:
        return MemoryOwners()
