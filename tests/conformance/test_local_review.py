"""Local review records keep the contract of a forge."""

from pathlib import Path

import msgspec
import pytest
from typing_extensions import override

from pm_orchestrator.adapters.forges.local_review import LocalForges
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.ports.forge import Forge
from pm_orchestrator.testing.benches.adapter_site import adapter_site
from pm_orchestrator.testing.contracts.forge_contract import REVIEW, ForgeContract


class TestLocalReviews(ForgeContract):
    @override
    @pytest.fixture
    def forge(self, tmp_path: Path) -> Forge:
        return LocalForges().open(adapter_site(tmp_path))

    async def test_an_id_that_is_no_file_name_is_refused(self, forge: Forge) -> None:
        for review_id in ("../escape", "", "a/b", ".hidden"):
            with pytest.raises(PmError, match="E210"):
                await forge.propose(msgspec.structs.replace(REVIEW, review_id=review_id))
        assert await forge.list() == ()

    async def test_a_damaged_record_is_not_overlooked(self, forge: Forge, tmp_path: Path) -> None:
        await forge.propose(REVIEW)
        (tmp_path / "reviews" / f"{REVIEW.review_id}.json").write_text("{}", "utf-8")
        with pytest.raises(PmError, match="E302"):
            await forge.list()
        with pytest.raises(PmError, match="E302"):
            await forge.propose(REVIEW)
