"""The corners of Anthropic's API that the contract does not reach."""

from typing import Any

import pytest

from pm_orchestrator.adapters.models.anthropic import AnthropicMessages
from pm_orchestrator.adapters.models.http_model import HttpModel
from pm_orchestrator.domain.company.model_conversation import ChatRequest, Message, Verbatim
from pm_orchestrator.domain.errors import PmError, RetryableError
from pm_orchestrator.ports.gateway import Access
from pm_orchestrator.testing.benches.any_gateway import any_gateway
from pm_orchestrator.testing.contracts.vendor_bench import forward
from pm_orchestrator.testing.memory.fake_clock import CountingIds
from pm_orchestrator.testing.scripted.anthropic_messages import say_error, say_text
from pm_orchestrator.testing.scripted.scripted_vendor import Failure, ScriptedVendor

Json = dict[str, Any]
ASK = ChatRequest(model="m", system="", messages=(Message(role="user", text="go"),))


def asking(base_url: str, key: str = "key") -> HttpModel:
    return HttpModel(AnthropicMessages(), Access(base_url=base_url, token=key))


async def caught(answer: Json | Failure) -> PmError:
    async with ScriptedVendor(lambda _: answer) as provider:
        with pytest.raises(PmError) as error:
            await asking(provider.base_url).chat(ASK)
    return error.value


async def test_a_model_that_declines_is_a_refusal() -> None:
    error = await caught(say_text("", stop_reason="refusal"))
    assert error.code == "E602"
    assert "declined" in error.what()


HALVES: tuple[Json, ...] = (
    {"content": [{"type": "tool_use", "id": "t", "name": "read", "input": "a.py"}]},
    {"content": [{"type": "tool_use", "name": "read", "input": {}}]},
    {"content": [{"type": "tool_use", "id": "t", "input": {}}]},
    {"content": "text"},
    {"stop_reason": None},
    {"type": "completion"},
)


@pytest.mark.parametrize("change", HALVES)
async def test_half_an_answer_is_unreadable(change: Json) -> None:
    assert (await caught(say_text("x") | change)).code == "E603"


async def test_thinking_is_kept_for_its_vendor_and_texts_are_joined() -> None:
    content = [
        {"type": "thinking", "thinking": "hm", "signature": "s"},
        {"type": "text", "text": "one "},
        {"type": "text", "text": "two"},
    ]
    async with ScriptedVendor(lambda _: say_text("") | {"content": content}) as provider:
        reply = await asking(provider.base_url + "/").chat(ASK)
    kept = Verbatim(dialect="anthropic", parts=tuple(content))
    assert reply.message == Message(role="assistant", text="one two", verbatim=kept)


@pytest.mark.parametrize(
    ("status", "code"),
    [(301, "E602"), (403, "E602"), (408, "E601"), (409, "E602"), (413, "E602"), (503, "E601")],
)
async def test_the_status_says_whose_failure_it_is(status: int, code: str) -> None:
    # A provider cannot pass for our gateway: that takes a header as well.
    body = say_error("cassette_mismatch", "x" * 5000)
    error = await caught(Failure(kind="status", status=status, body=body))
    assert error.code == code
    assert isinstance(error, RetryableError) is (code == "E601")
    assert f"HTTP {status}" in error.what()
    assert len(error.what()) < 500


async def test_nobody_listening_is_retryable() -> None:
    async with ScriptedVendor(lambda _: say_text("x")) as provider:
        gone = provider.base_url
    with pytest.raises(RetryableError, match="E601"):
        await asking(gone).chat(ASK)


@pytest.mark.parametrize("url", ["127.0.0.1:1", "ftp://127.0.0.1", "http://127.0.0.1:port", ""])
async def test_an_address_that_is_none_is_not_retried(url: str) -> None:
    with pytest.raises(PmError, match="E602") as error:
        await asking(url).chat(ASK)
    assert not isinstance(error.value, RetryableError)
    gateway = any_gateway(forward(url, "key", trust_env=False), CountingIds())
    await gateway.start()
    access = gateway.admit("worker-1")
    with pytest.raises(PmError, match="E602"):
        await HttpModel(AnthropicMessages(), access).chat(ASK)
    await gateway.close()


@pytest.mark.parametrize("key", ["", "sk-ant-secret\n", "sk-ant-secret\r\nx: y", "sk-ant-sécret"])
def test_a_key_that_cannot_be_sent_is_refused_without_showing_it(key: str) -> None:
    for make in (asking, forward):
        with pytest.raises(PmError, match="E602") as error:
            make("http://127.0.0.1:1", key)
        assert "sk-ant" not in f"{error.value!r}{error.value}"
