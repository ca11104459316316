"""What every Forge owes its callers.

Subclass `ForgeContract` and give the fixture `forge`.
"""

import msgspec
import pytest

from pm_orchestrator.domain.judging.gate import GateResult, GateVerdict
from pm_orchestrator.ports.forge import Forge, ReviewRecord

REVIEW = ReviewRecord(
    review_id="review-20260115-abcd",
    run_id="run_001",
    title="ログイン画面を追加",
    body="What was proved.\n",
    source_branch="agent/20260115-abcd-integration",
    target_branch="main",
    commit="c" * 40,
    gates=(GateResult(kind="lint", verdict=GateVerdict.PASS, output="", exit_code=0),),
    state="open",
    created_at="2026-01-15T09:00:00.000Z",
)


class ForgeContract:
    """Proposals are kept, once each, and listed by age."""

    @pytest.fixture
    def forge(self) -> Forge:
        raise NotImplementedError

    async def test_nothing_was_proposed_yet(self, forge: Forge) -> None:
        assert await forge.list() == ()

    async def test_a_proposal_is_kept(self, forge: Forge) -> None:
        proposed = await forge.propose(REVIEW)
        assert proposed.review_id == REVIEW.review_id
        assert await forge.list() == (proposed,)

    async def test_proposing_again_changes_nothing(self, forge: Forge) -> None:
        first = await forge.propose(REVIEW)
        again = await forge.propose(msgspec.structs.replace(REVIEW, title="another title"))
        assert again == first
        assert await forge.list() == (first,)

    async def test_proposals_are_listed_by_age(self, forge: Forge) -> None:
        for number, day in ((1, 17), (2, 15), (3, 16), (4, 15)):
            await forge.propose(
                msgspec.structs.replace(
                    REVIEW, review_id=f"r-{number}", created_at=f"2026-01-{day}T09:00:00.000Z"
                )
            )
        assert [review.review_id for review in await forge.list()] == ["r-2", "r-4", "r-3", "r-1"]
