"""A worker whose attempt was ended goes on from where it was."""

from pathlib import Path

import pytest

from pm_orchestrator.testing.benches.sample_site import Site, open_site
from pm_orchestrator.testing.scripted.demo_replies import REPLIES, call, first_parts, text

pytestmark = pytest.mark.timeout(120)


@pytest.fixture
async def site(tmp_path: Path) -> Site:
    return await open_site(tmp_path)


@pytest.mark.long
async def test_a_worker_that_came_to_no_end_goes_on_where_it_was(site: Site) -> None:
    """E-21: what it had not committed lies in the workspace of its next attempt."""
    wrote, words = REPLIES["worker/01/1"][1], [text("I think that is all.")]
    status = [call("git_status")]
    replies = {
        **first_parts(1),
        "worker/01/1": [wrote, words, words, words],
        "worker/01/2": [status, *REPLIES["worker/01/1"][-2:]],
    }
    result = await site.run(replies, workers=1)
    assert result.status == "COMPLETE"
    run = site.root / ".pm-orchestrator" / "runtime" / "runs" / "run_001"
    kept = (run / "workers" / "01" / "2" / "conversation.json").read_text(encoding="utf-8")
    assert "?? toolbox/slug.py" in kept
    assert "ended before you said" in kept
