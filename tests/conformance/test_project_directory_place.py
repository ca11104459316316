"""The project directory keeps the contract of places."""

from pathlib import Path

import pytest
from typing_extensions import override

from pm_orchestrator.testing.benches.directory_bench import directory_bench
from pm_orchestrator.testing.benches.place_bench import PlaceBench
from pm_orchestrator.testing.contracts.place_contract import FILES, PlaceContract


class TestProjectDirectory(PlaceContract):
    @pytest.fixture
    @override
    async def bench(self, tmp_path: Path) -> PlaceBench:
        return await directory_bench(tmp_path, FILES)
