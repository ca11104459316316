"""The list of models that a vendor gives: any vendor's form, and nothing else."""

import pytest

from pm_orchestrator.adapters.models.vendor_list import MOST_NAMES, ListAsked, vendor_list
from pm_orchestrator.bootstrap.registry import MODELS
from pm_orchestrator.bootstrap.shipped_models import model_registry
from pm_orchestrator.bootstrap.vendor_models import vendor_models
from pm_orchestrator.cli.pages.model_pages import model_label
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.setup.settings import ModelSettings
from pm_orchestrator.ports.dialect import Json
from pm_orchestrator.testing.scripted.scripted_vendor import Failure, ScriptedVendor

KEY = "k" * 20


async def listed(adapter: str, answer: Json | Failure) -> tuple[str, ...]:
    factory = MODELS.load(adapter)
    upstream = factory.upstream
    async with ScriptedVendor(lambda _: Failure(kind="reset"), factory.dialect) as vendor:
        vendor.listing = answer
        variables = {upstream.url_variable or "": vendor.base_url, upstream.key_variable or "": KEY}
        try:
            return await vendor_list(factory, ListAsked(variables=variables, patience_s=5))
        finally:
            (asked,) = vendor.received
            assert asked.path == upstream.models_path
            shown = upstream.credentials(upstream.key(variables))
            assert {name: asked.headers.get(name) for name in shown} == shown


@pytest.mark.parametrize(
    ("adapter", "answer"),
    [
        ("openai", {"object": "list", "data": [{"id": "a"}, {"id": "b"}, {"id": "a"}]}),
        ("anthropic", {"data": [{"id": "a", "display_name": "A"}, {"id": "b"}]}),
        ("gemini", {"models": [{"name": "models/a"}, {"name": "models/b"}]}),
        ("ollama", {"models": [{"name": "a", "size": 1}, {"name": "b"}]}),
    ],
)
async def test_every_vendor_is_understood(adapter: str, answer: Json) -> None:
    assert await listed(adapter, answer) == ("a", "b")


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ({}, "E603"),
        ({"data": "a"}, "E603"),
        ({"data": [1, {"id": 2}, {"id": ""}, {"id": "x" * 201}, {"id": "a\nb"}]}, "E603"),
        (Failure(kind="garbage"), "E603"),
        (Failure(kind="status", status=401), "E602"),
        (Failure(kind="reset"), "E601"),
    ],
)
async def test_what_is_no_list_is_an_error(answer: Json | Failure, code: str) -> None:
    with pytest.raises(PmError, match=code):
        await listed("openai", answer)


async def test_a_list_is_bounded() -> None:
    answer: Json = {"data": [{"id": f"m{number}"} for number in range(MOST_NAMES + 5)]}
    assert len(await listed("openai", answer)) == MOST_NAMES


async def test_nobody_is_asked_without_a_key_or_an_api() -> None:
    assert await vendor_models("claude-code", {"OPENAI_API_KEY": KEY}, ModelSettings()) == ()
    nowhere = {"OPENAI_BASE_URL": "http://127.0.0.1:9"}
    assert await vendor_models("openai", nowhere, ModelSettings()) == ()


def test_known_models_come_first_and_unknown_ones_have_no_figures() -> None:
    registry = model_registry()
    known = registry.of("openai")[0].name
    offered = registry.offered("openai", ("zz", known, "aa"))
    assert [model.name for model in offered] == [known, "aa", "zz"]
    assert (offered[1].context, offered[1].input, model_label(offered[1], "en")) == (None, None, "")
    assert registry.offered("openai", ()) == registry.of("openai")
    assert registry.named("openai", "zz", ("zz",)).name == "zz"
    with pytest.raises(PmError, match="E210"):
        registry.named("openai", "zz", ("aa",))
