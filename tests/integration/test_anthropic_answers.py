"""The corners of Anthropic's API that the contract does not reach."""

from typing import Any

import pytest

from pm_orchestrator.adapters.gateway.server import LoopbackGateway
from pm_orchestrator.adapters.models.anthropic import AnthropicModel
from pm_orchestrator.domain.company.model_conversation import ChatRequest, Message
from pm_orchestrator.domain.errors import PmError, RetryableError
from pm_orchestrator.testing.contracts.anthropic_bench import forward
from pm_orchestrator.testing.memory.fake_clock import CountingIds
from pm_orchestrator.testing.scripted.anthropic_messages import say_error, say_text
from pm_orchestrator.testing.scripted.scripted_anthropic import Failure, ScriptedAnthropic

Json = dict[str, Any]
ASK = ChatRequest(model="m", system="", messages=(Message(role="user", text="go"),))


async def caught(answer: Json | Failure) -> PmError:
    async with ScriptedAnthropic(lambda _: answer) as provider:
        with pytest.raises(PmError) as error:
            await AnthropicModel(provider.base_url, "key").chat(ASK)
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
    {"usage": {}},
    {"stop_reason": None},
    {"type": "completion"},
)


@pytest.mark.parametrize("change", HALVES)
async def test_half_an_answer_is_unreadable(change: Json) -> None:
    assert (await caught(say_text("x") | change)).code == "E603"


async def test_thinking_is_left_out_and_texts_are_joined() -> None:
    content = [
        {"type": "thinking", "thinking": "hm", "signature": "s"},
        {"type": "text", "text": "one "},
        {"type": "text", "text": "two"},
    ]
    async with ScriptedAnthropic(lambda _: say_text("") | {"content": content}) as provider:
        reply = await AnthropicModel(provider.base_url + "/", "key").chat(ASK)
    assert reply.message == Message(role="assistant", text="one two")


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
    async with ScriptedAnthropic(lambda _: say_text("x")) as provider:
        gone = provider.base_url
    with pytest.raises(RetryableError, match="E601"):
        await AnthropicModel(gone, "key").chat(ASK)


@pytest.mark.parametrize("url", ["127.0.0.1:1", "ftp://127.0.0.1", "http://127.0.0.1:port", ""])
async def test_an_address_that_is_none_is_not_retried(url: str) -> None:
    with pytest.raises(PmError, match="E602") as error:
        await AnthropicModel(url, "key").chat(ASK)
    assert not isinstance(error.value, RetryableError)
    gateway = LoopbackGateway(forward(url, "key", trust_env=False), CountingIds())
    await gateway.start()
    access = gateway.admit("worker-1")
    with pytest.raises(PmError, match="E602"):
        await AnthropicModel(access.base_url, access.token).chat(ASK)
    await gateway.close()


@pytest.mark.parametrize("key", ["", "sk-ant-secret\n", "sk-ant-secret\r\nx: y", "sk-ant-sécret"])
def test_a_key_that_cannot_be_sent_is_refused_without_showing_it(key: str) -> None:
    for make in (AnthropicModel, forward):
        with pytest.raises(PmError, match="E602") as error:
            make("http://127.0.0.1:1", key)
        assert "sk-ant" not in f"{error.value!r}{error.value}"
