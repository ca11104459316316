"""What every dialect owes: one scripted conversation with tool calls, as its vendor writes it.

Subclass `DialectContract` and give the fixture `vendor`: the factory, and by hand what the
vendor says and is asked, so that no dialect is only understood by itself.
"""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from pm_orchestrator.adapters.gateway.answers import ModelQuestion
from pm_orchestrator.adapters.gateway.recording import Recording
from pm_orchestrator.adapters.gateway.replay import Replay
from pm_orchestrator.adapters.gateway.upstream import Forward
from pm_orchestrator.adapters.models.anthropic import AnthropicMessages
from pm_orchestrator.adapters.models.http_model import HttpModel
from pm_orchestrator.adapters.models.openai import OpenAIChat
from pm_orchestrator.domain.company.model_conversation import (
    ChatReply,
    ChatRequest,
    Message,
    TokenUsage,
    ToolCall,
    ToolDefinition,
    ToolResult,
)
from pm_orchestrator.domain.record import to_json
from pm_orchestrator.ports.chat_model import ModelFactory
from pm_orchestrator.ports.dialect import BrokenStreamError, Dialect, Json
from pm_orchestrator.ports.gateway import Access
from pm_orchestrator.testing.benches.any_gateway import any_gateway
from pm_orchestrator.testing.memory.fake_clock import CountingIds
from pm_orchestrator.testing.scripted.scripted_vendor import ScriptedVendor
from pm_orchestrator.testing.scripted.whole_answer import whole_answer

KEY = "key-of-the-vendor"
READ = ToolDefinition(
    name="read",
    description="Reads a file.",
    schema={"type": "object", "properties": {"path": {"type": "string"}}},
)
TASK = "Mend a.py"
RESULTS = (("x = 1", False), ("no such file", True))


def server_sent(*lines: str, named: bool = False) -> bytes:
    """The frames of a stream, by hand; `named` repeats each type as the event's name."""

    def name(line: str) -> str:
        return "event: " + line.split('"type":"')[1].split('"')[0] + "\n" if named else ""

    return "".join(f"{name(line)}data: {line}\n\n" for line in lines).encode()


def call(number: int, **arguments: Any) -> ToolCall:
    """A call of the one tool."""
    return ToolCall(id=f"call_{number}", name="read", arguments=arguments)


TURNS = (
    ChatReply(
        message=Message(
            role="assistant", text="I look.", tool_calls=(call(1, path="a.py"), call(2, path="b"))
        ),
        usage=TokenUsage(input_tokens=20, output_tokens=9),
    ),
    ChatReply(
        message=Message(role="assistant", tool_calls=(call(3, path="c", deep={"n": [1, None]}),)),
        usage=TokenUsage(input_tokens=40, output_tokens=5),
    ),
    ChatReply(
        message=Message(role="assistant", text="Done: 世界"),
        usage=TokenUsage(input_tokens=60, output_tokens=3),
        stopped_early=True,
    ),
)
"""What every vendor's answers come to; the ids apart, which not all of them give."""


class WrittenByHand(msgspec.Struct, frozen=True, kw_only=True):
    """One conversation in the words of its vendor."""

    factory: ModelFactory
    answers: tuple[Json, ...]
    """Of all turns."""
    asked: Json
    """The last request, with every turn before it."""
    path: str
    stream: bytes
    """The first answer as a stream."""
    shows_key: tuple[str, str] | None
    """The header that the vendor finds the key in."""


async def converse(dialect: Dialect, access: Access) -> list[ChatReply]:
    """The scripted task, with the same results whoever asks for them."""
    model = HttpModel(dialect, access, 20)
    messages = [Message(role="user", text=TASK)]
    replies: list[ChatReply] = []
    while not replies or replies[-1].message.tool_calls:
        request = ChatRequest(
            model="model-1", system="Be brief.", messages=tuple(messages), tools=(READ,)
        )
        replies.append(await model.chat(request))
        said = replies[-1].message
        results = tuple(
            ToolResult(call_id=call.id, content=content, is_error=failed)
            for call, (content, failed) in zip(said.tool_calls, RESULTS, strict=False)
        )
        messages += [said, Message(role="user", tool_results=results)]
    return replies


def named(replies: list[ChatReply]) -> list[ChatReply]:
    """The replies with the ids of `TURNS`."""
    numbers = iter(range(1, 100))

    def told(reply: ChatReply) -> Iterator[ToolCall]:
        for made in reply.message.tool_calls:
            yield replace(made, id=f"call_{next(numbers)}")

    return [
        replace(reply, message=replace(reply.message, tool_calls=tuple(told(reply))))
        for reply in replies
    ]


class DialectContract:
    """The suite; a subclass adds the fixture `vendor`."""

    async def test_the_conversation_is_the_same_in_every_dialect(
        self, vendor: WrittenByHand
    ) -> None:
        """Asked, recorded, and replayed to its own dialect and to others."""
        dialect, answers = vendor.factory.dialect, iter(vendor.answers)
        upstream = replace(vendor.factory.upstream, url_variable="VENDOR_URL")
        async with ScriptedVendor(lambda _: next(answers), dialect) as provider:
            variables = {"VENDOR_URL": provider.base_url, upstream.key_variable or "": KEY}
            recording = Recording(Forward(upstream, variables, trust_env=False))
            gateway = any_gateway(recording, CountingIds())
            await gateway.start()
            replies = await converse(dialect, gateway.admit("worker-1"))
            used = gateway.usage("worker-1")
            await gateway.close()
        assert named(replies) == list(TURNS)
        assert used == TokenUsage(input_tokens=120, output_tokens=17)
        last = provider.received[-1]
        assert last.body == vendor.asked
        assert last.path == vendor.path
        if vendor.shows_key is not None:
            name, shown = vendor.shows_key
            assert last.headers[name] == shown
        for other in (dialect, AnthropicMessages(), OpenAIChat()):
            again = any_gateway(Replay(recording.cassette), CountingIds())
            await again.start()
            assert await converse(other, again.admit("worker-1")) == replies
            await again.close()

    def test_a_stream_comes_to_the_same_answer(self, vendor: WrittenByHand) -> None:
        dialect = vendor.factory.dialect
        assert named([dialect.read_answer(whole_answer(dialect, vendor.stream))]) == [TURNS[0]]
        for reply in TURNS:
            written = b"".join(dialect.write_stream(dialect.write_answer(reply, "model-1")))
            assert dialect.read_answer(whole_answer(dialect, written)) == reply

    def test_a_call_is_noticed_before_it_is_whole(self, vendor: WrittenByHand) -> None:
        dialect = vendor.factory.dialect
        reader, begin = dialect.stream_reader(), 0
        for end in dialect.frame_end.finditer(vendor.stream):
            frame = vendor.stream[begin : end.end()]
            begin = end.end()
            reader.read(frame)
            assert reader.acts or b"a.py" not in frame
        assert reader.acts
        assert reader.ended

    def test_a_stream_that_was_cut_is_no_answer(self, vendor: WrittenByHand) -> None:
        dialect = vendor.factory.dialect
        ends = [end.end() for end in dialect.frame_end.finditer(vendor.stream)]
        # The last one or two frames may say nothing more than that it has ended.
        for end in [0, *ends[: len(ends) // 2]]:
            with pytest.raises(BrokenStreamError):
                whole_answer(dialect, vendor.stream[:end])
        with pytest.raises(BrokenStreamError):
            whole_answer(dialect, b"data: nonsense\n\n" + vendor.stream)

    def test_an_error_in_a_stream_is_the_vendors(self, vendor: WrittenByHand) -> None:
        dialect = vendor.factory.dialect
        frame = dialect.error_frame(dialect.write_error(500, "", "too much of everything"))
        with pytest.raises(BrokenStreamError, match="too much of everything") as broken:
            dialect.stream_reader().read(frame)
        assert broken.value.status is not None

    def test_an_error_is_read(self, vendor: WrittenByHand) -> None:
        dialect = vendor.factory.dialect
        body = to_json(dialect.write_error(400, "", "what is that?"))
        assert dialect.read_error(body).message == "what is that?"
        for other in (b"", b"<html>", b"[]", b'{"error": 1}', b'{"error": {"code": 1}}'):
            assert dialect.read_error(other).message == ""

    @pytest.mark.parametrize("body", [b"", b"{", b"[]", b"{}", b'{"model": 1}', b"\xff\xfe"])
    def test_what_is_no_request_is_refused(self, vendor: WrittenByHand, body: bytes) -> None:
        with pytest.raises((msgspec.DecodeError, UnicodeDecodeError)):
            vendor.factory.dialect.read_request(body, vendor.path)

    @pytest.mark.parametrize("answer", [{}, {"error": {"message": "busy"}}, {"choices": 1}])
    def test_what_is_no_answer_is_refused(self, vendor: WrittenByHand, answer: Json) -> None:
        with pytest.raises(msgspec.ValidationError):
            vendor.factory.dialect.read_answer(answer)

    async def test_its_route_is_found(self, vendor: WrittenByHand) -> None:
        dialect = vendor.factory.dialect
        question = ModelQuestion(
            agent="a",
            dialect=dialect,
            asked=dialect.read_request(to_json(vendor.asked), vendor.path),
            body=b"",
            path=vendor.path,
        )
        assert dialect.route.fullmatch(vendor.path)
        assert question.turn == len(TURNS)
        assert question.request.model == "model-1"
        assert not question.asked.stream
