"""What every ChatModel owes its callers, whatever provider it speaks to.

Subclass `ChatModelContract` and give the fixture `bench`: a provider that can be told
what to answer, and the model under test pointed at it.
"""

import asyncio
from typing import Literal, Protocol

import pytest

from pm_orchestrator.domain.company.model_conversation import (
    ChatReply,
    ChatRequest,
    Message,
    TokenUsage,
    ToolCall,
    ToolDefinition,
    ToolResult,
)
from pm_orchestrator.domain.errors import PmError, RetryableError
from pm_orchestrator.ports.chat_model import ChatModel

Trouble = Literal[
    "rate_limited", "overloaded", "broken", "reset", "cut", "silent",
    "bad_key", "unknown_model", "bad_request", "garbage", "empty_object", "bad_compression",
]  # fmt: skip

LATER: tuple[Trouble, ...] = ("rate_limited", "overloaded", "broken", "reset", "cut", "silent")
NEVER: tuple[Trouble, ...] = ("bad_key", "unknown_model", "bad_request")
UNREADABLE: tuple[Trouble, ...] = ("garbage", "empty_object", "bad_compression")

TOOLS = (
    ToolDefinition(
        name="read_file",
        description="Reads a file.",
        schema={"type": "object", "properties": {"path": {"type": "string"}}},
    ),
)
ASK = ChatRequest(
    model="model-1",
    system="Be brief.",
    messages=(Message(role="user", text="Hello"),),
    tools=TOOLS,
)
HELLO = ChatReply(
    message=Message(role="assistant", text="Hello 世界"),
    usage=TokenUsage(input_tokens=12, output_tokens=3),
)
CALLS = ChatReply(
    message=Message(
        role="assistant",
        text="I look.",
        tool_calls=(
            ToolCall(id="c1", name="read_file", arguments={"path": "a.py"}),
            ToolCall(id="c2", name="read_file", arguments={"path": "b.py", "deep": {"n": [1]}}),
        ),
    ),
    usage=TokenUsage(input_tokens=20, output_tokens=9),
)


class ModelBench(Protocol):
    """A scripted provider and a model that asks it.

    `model` waits at most a second or so for an answer, and holds `secret` as its key;
    the provider repeats that key in its error messages where it can.
    """

    model: ChatModel
    secret: str

    def will(self, step: ChatReply | Trouble) -> None:
        """What the provider does from now on."""
        ...

    def heard(self) -> ChatRequest:
        """The last request as the provider understood it."""
        ...


class ChatModelContract:
    """The suite; a subclass adds the fixture `bench`."""

    @pytest.mark.parametrize("reply", [HELLO, CALLS])
    async def test_a_reply_comes_back_whole(self, bench: ModelBench, reply: ChatReply) -> None:
        bench.will(reply)
        assert await bench.model.chat(ASK) == reply

    async def test_a_reply_cut_by_the_token_limit_says_so(self, bench: ModelBench) -> None:
        early = ChatReply(message=HELLO.message, usage=HELLO.usage, stopped_early=True)
        bench.will(early)
        assert (await bench.model.chat(ASK)).stopped_early

    async def test_a_conversation_arrives_whole(self, bench: ModelBench) -> None:
        results = (
            ToolResult(call_id="c1", content="print()"),
            ToolResult(call_id="c2", content="no such file", is_error=True),
        )
        request = ChatRequest(
            model="model-1",
            system="Be brief.",
            messages=(
                *ASK.messages,
                CALLS.message,
                Message(role="user", text="Go on", tool_results=results),
            ),
            tools=TOOLS,
            max_tokens=77,
        )
        bench.will(HELLO)
        await bench.model.chat(request)
        assert bench.heard() == request

    async def test_a_turn_without_words_can_be_sent_back(self, bench: ModelBench) -> None:
        silent = Message(role="assistant")
        messages = (*ASK.messages, silent, Message(role="user", text="Say something."))
        bench.will(HELLO)
        await bench.model.chat(ChatRequest(model="model-1", system="", messages=messages))
        assert bench.heard().messages[1].text

    @pytest.mark.parametrize("trouble", LATER)
    async def test_a_provider_in_trouble_is_retryable(
        self, bench: ModelBench, trouble: Trouble
    ) -> None:
        bench.will(trouble)
        with pytest.raises(RetryableError) as caught:
            await bench.model.chat(ASK)
        assert caught.value.code == "E601"

    @pytest.mark.parametrize("trouble", NEVER)
    async def test_a_refusal_is_final(self, bench: ModelBench, trouble: Trouble) -> None:
        bench.will(trouble)
        with pytest.raises(PmError) as caught:
            await bench.model.chat(ASK)
        assert caught.value.code == "E602"
        assert not isinstance(caught.value, RetryableError)

    @pytest.mark.parametrize("trouble", UNREADABLE)
    async def test_an_answer_that_is_none_is_said_so(
        self, bench: ModelBench, trouble: Trouble
    ) -> None:
        bench.will(trouble)
        with pytest.raises(PmError) as caught:
            await bench.model.chat(ASK)
        assert caught.value.code == "E603"

    @pytest.mark.parametrize("trouble", [*LATER, *NEVER, *UNREADABLE])
    async def test_no_error_shows_the_key(self, bench: ModelBench, trouble: Trouble) -> None:
        bench.will(trouble)
        with pytest.raises(PmError) as caught:
            await bench.model.chat(ASK)
        shown = f"{caught.value} {caught.value!r} {caught.value.hint()} {caught.value.params}"
        assert bench.secret not in shown

    async def test_waiting_can_be_broken_off(self, bench: ModelBench) -> None:
        bench.will("silent")
        task = asyncio.create_task(bench.model.chat(ASK))
        await asyncio.sleep(0.05)
        task.cancel()
        async with asyncio.timeout(2):
            with pytest.raises(asyncio.CancelledError):
                await task

    async def test_it_recovers_after_trouble(self, bench: ModelBench) -> None:
        bench.will("reset")
        with pytest.raises(RetryableError):
            await bench.model.chat(ASK)
        bench.will(HELLO)
        assert await bench.model.chat(ASK) == HELLO
