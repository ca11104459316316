"""E-26: a vendor says when to come back, in seconds or as a date, by its own clock."""

import pytest

from pm_orchestrator.adapters.gateway.upstream import PASSED_BACK
from pm_orchestrator.adapters.models.http_model import HttpModel
from pm_orchestrator.bootstrap.registry import MODELS
from pm_orchestrator.domain.company.model_conversation import ChatRequest
from pm_orchestrator.domain.errors import RetryableError
from pm_orchestrator.ports.gateway import Access
from pm_orchestrator.testing.scripted.scripted_vendor import Failure, ScriptedVendor

NOW = "Thu, 15 Jan 2026 09:00:00 GMT"
LATER = "Thu, 15 Jan 2026 09:00:30 GMT"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "30"}, "30"),
        ({"retry-after": LATER, "date": NOW}, "30"),
        # Past already: at once.
        ({"retry-after": NOW, "date": LATER}, "0"),
        ({"retry-after": "-5"}, "0"),
        # Of what cannot be told nobody says how long.
        ({"retry-after": LATER}, ""),
        ({"retry-after": "soon", "date": NOW}, ""),
        ({"retry-after": "nan"}, ""),
        ({"retry-after": "inf"}, ""),
        ({"retry-after": "Thu, 99 Jan 2026 09:00:30 GMT", "date": NOW}, ""),
        ({}, ""),
    ],
)
async def test_when_to_come_back_is_read(headers: dict[str, str], seconds: str) -> None:
    busy = Failure(kind="status", status=429, headers=headers)
    async with ScriptedVendor(lambda _: busy) as vendor:
        access = Access(base_url=vendor.base_url, token="pm-token")
        model = HttpModel(MODELS.load("anthropic").dialect, access)
        with pytest.raises(RetryableError) as caught:
            await model.chat(ChatRequest(model="m", system="", messages=()))
    assert caught.value.slug == "model_busy"
    assert caught.value.params["seconds"] == seconds


def test_the_gateway_passes_on_what_that_takes() -> None:
    assert {"date", "retry-after"} <= set(PASSED_BACK)
