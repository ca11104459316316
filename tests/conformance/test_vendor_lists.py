"""Every vendor is asked which models it has, as its documentation says."""

from typing import Any, NamedTuple

import pytest

from pm_orchestrator.adapters.gateway.vendor_models import vendor_models
from pm_orchestrator.adapters.models.anthropic import AnthropicModels
from pm_orchestrator.bootstrap.crews.gateway_source import listed_models
from pm_orchestrator.bootstrap.environment import read_environment
from pm_orchestrator.bootstrap.registry import MODELS
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.setup.settings import ModelSettings
from pm_orchestrator.ports.chat_model import KnownModel
from pm_orchestrator.testing.scripted.anthropic_messages import say_error
from pm_orchestrator.testing.scripted.scripted_vendor import Failure, ScriptedVendor

Json = dict[str, Any]
KEY = "key-of-the-vendor-0123456789"


class Listed(NamedTuple):
    """What a vendor says, where, and what is made of it."""

    path: str
    says: Json
    known: tuple[KnownModel, ...]


def known(name: str, context: int | None = None) -> KnownModel:
    return KnownModel(name=name, context=context)


OPENAI = Listed(
    "/v1/models",
    {"object": "list", "data": [{"id": "gpt-x", "object": "model", "owned_by": "o"}]},
    (known("gpt-x"),),
)
LISTS = {
    "anthropic": Listed(
        "/v1/models?limit=1000",
        {"data": [{"type": "model", "id": "claude-x", "max_input_tokens": 9}], "has_more": False},
        (known("claude-x", 9),),
    ),
    "openai": OPENAI,
    "openai-responses": OPENAI,
    "gemini": Listed(
        "/v1beta/models?pageSize=1000",
        {"models": [{"name": "models/gemini-x", "inputTokenLimit": 7, "version": "1"}]},
        (known("gemini-x", 7),),
    ),
    "ollama": Listed(
        "/api/tags",
        {"models": [{"name": "tiny:latest", "size": 1}, {"name": "big:70b", "size": 2}]},
        (known("tiny:latest"), known("big:70b"), known("tiny")),
    ),
}


def test_every_vendor_has_a_row() -> None:
    assert set(LISTS) == set(MODELS.names)


@pytest.mark.parametrize("name", LISTS)
async def test_a_vendor_says_which_models_it_has(name: str) -> None:
    row, upstream = LISTS[name], MODELS.load(name).upstream
    async with ScriptedVendor(lambda _: row.says) as vendor:
        given = {
            upstream.url_variable or "": vendor.base_url,
            upstream.key_variable or "": KEY,
            "TEAM": "blue-team",
        }
        settings = ModelSettings(headers={name: {"x-team": "$TEAM"}})
        found = await listed_models(read_environment(given), name, settings, 20)
    assert found == row.known
    (asked,) = vendor.received
    assert asked.path == row.path
    assert asked.headers["x-team"] == "blue-team"
    if upstream.key_variable is not None:
        assert KEY in asked.headers[upstream.key_header]


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (Failure(kind="status", status=401, body=say_error("authentication_error", KEY)), "E602"),
        (Failure(kind="status", status=500), "E602"),
        (Failure(kind="garbage"), "E603"),
        (Failure(kind="garbage", body=b"{}"), "E603"),
        (Failure(kind="garbage", body=b'{"data": [{"id": 1}]}'), "E603"),
        (Failure(kind="garbage", body=b'{"a":' * 50_000), "E603"),
        (Failure(kind="hang"), "E601"),
        (Failure(kind="reset"), "E601"),
        (Failure(kind="endless", body=b" ", pause=0.1), "E601"),
    ],
)
async def test_a_vendor_that_does_not_say_is_an_error(answer: Failure, code: str) -> None:
    async with ScriptedVendor(lambda _: answer) as vendor:
        factory = AnthropicModels()
        variables = {"ANTHROPIC_BASE_URL": vendor.base_url, "ANTHROPIC_API_KEY": KEY}
        with pytest.raises(PmError) as caught:
            await vendor_models(factory, variables, 0.7)
    assert caught.value.code == code
    assert KEY not in f"{caught.value!r} {caught.value.what()}"


@pytest.mark.parametrize("status", [404, 405, 501])
async def test_a_gateway_need_not_know_lists(status: int) -> None:
    answer = Failure(kind="status", status=status)
    async with ScriptedVendor(lambda _: answer) as vendor:
        variables = {"ANTHROPIC_BASE_URL": vendor.base_url, "ANTHROPIC_API_KEY": KEY}
        assert await vendor_models(AnthropicModels(), variables, 20) == ()
    assert vendor.received[0].path == "/v1/models?limit=1000"
