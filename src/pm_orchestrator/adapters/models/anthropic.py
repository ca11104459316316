"""Anthropic's Messages protocol."""

import re
from collections.abc import Iterable, Iterator
from types import MappingProxyType
from typing import Any, Literal

import msgspec
from typing_extensions import override

from pm_orchestrator.adapters.models.wire_forms import (
    NOTHING_SAID,
    STATUS_OF_KIND,
    SseDialect,
    distinct,
    failure_read,
    given,
    sse,
    sse_data,
)
from pm_orchestrator.domain.company.model_conversation import (
    ChatReply,
    ChatRequest,
    Message,
    TokenUsage,
    ToolCall,
    ToolDefinition,
    ToolResult,
    Verbatim,
)
from pm_orchestrator.domain.setup.providers import KEY_VARIABLES
from pm_orchestrator.ports.chat_model import ModelFactory, Upstream
from pm_orchestrator.ports.dialect import (
    BrokenStreamError,
    Dialect,
    Inquiry,
    Json,
    StreamReader,
)

OUT_OF_ROOM = frozenset({"max_tokens", "model_context_window_exceeded"})
PLAIN = frozenset({"text", "tool_use"})
"""Blocks that the conversation has words for; whatever else there is, it keeps verbatim."""
CACHED = {"cache_control": {"type": "ephemeral"}}
"""What stands before it need not be paid for again in the next turn."""
KIND_OF_STATUS = {status: kind for kind, status in reversed(STATUS_OF_KIND.items())} | {
    408: "timeout_error"
}


class _Block(msgspec.Struct, frozen=True):
    type: str
    text: str = ""
    id: str = ""
    name: str = ""
    input: Any = None
    tool_use_id: str = ""
    content: Any = None
    is_error: bool | None = None


class _Turn(msgspec.Struct, frozen=True):
    role: str
    content: str | list[Json]


class _Tool(msgspec.Struct, frozen=True):
    name: str
    description: str = ""
    input_schema: Json = {}


class _Request(msgspec.Struct, frozen=True):
    model: str
    messages: list[_Turn]
    system: str | list[_Block] = ""
    tools: list[_Tool] = []
    max_tokens: int = 4096
    temperature: float | None = None
    stream: bool = False


class _Usage(msgspec.Struct, frozen=True):
    input_tokens: int
    output_tokens: int
    cache_creation_input_tokens: int | None = 0
    cache_read_input_tokens: int | None = 0

    def total(self) -> TokenUsage:
        cached = (self.cache_creation_input_tokens or 0) + (self.cache_read_input_tokens or 0)
        return TokenUsage(input_tokens=self.input_tokens + cached, output_tokens=self.output_tokens)


class _Answer(msgspec.Struct, frozen=True):
    type: Literal["message"]
    role: Literal["assistant"]
    content: list[Json]
    usage: _Usage
    stop_reason: str


class AnthropicMessages(SseDialect):
    """`POST /v1/messages`."""

    name = "anthropic"
    route = re.compile(r"/v1/messages")
    key_header = "x-api-key"
    headers = MappingProxyType({"anthropic-version": "2023-06-01"})
    passed_headers = ("anthropic-version", "anthropic-beta")
    ping = b'event: ping\ndata: {"type":"ping"}\n\n'

    @override
    def path(self, request: ChatRequest) -> str:
        return "/v1/messages"

    @override
    def write_request(self, request: ChatRequest) -> Json:
        turns: list[Json] = [
            {"role": message.role, "content": _content(message)} for message in request.messages
        ]
        if turns and request.tools:
            turns[-1]["content"][-1] |= CACHED
        body: Json = {"model": request.model, "max_tokens": request.max_tokens, "messages": turns}
        body |= given(temperature=request.temperature, system=request.system or None)
        if request.tools:
            body["tools"] = [
                {"name": tool.name, "description": tool.description, "input_schema": tool.schema}
                for tool in request.tools
            ]
        return body

    @override
    def read_request(self, body: bytes, path: str) -> Inquiry:
        read = msgspec.json.decode(body, type=_Request)
        system = read.system if isinstance(read.system, str) else _words(read.system)
        return Inquiry(
            request=ChatRequest(
                model=read.model,
                system=system,
                messages=tuple(map(_message, read.messages)),
                tools=tuple(
                    ToolDefinition(
                        name=tool.name, description=tool.description, schema=tool.input_schema
                    )
                    for tool in read.tools
                ),
                max_tokens=read.max_tokens,
                temperature=read.temperature,
            ),
            stream=read.stream,
        )

    @override
    def write_answer(self, reply: ChatReply, model: str) -> Json:
        calls = bool(reply.message.tool_calls)
        stop = "max_tokens" if reply.stopped_early else "tool_use" if calls else "end_turn"
        own = _own(reply.message)
        return {
            "id": "msg_recorded",
            "type": "message",
            "role": "assistant",
            "model": model,
            "content": list(_said(reply.message)) if own is None else own,
            "stop_reason": "refusal" if reply.declined else stop,
            "stop_sequence": None,
            "usage": {
                "input_tokens": reply.usage.input_tokens,
                "output_tokens": reply.usage.output_tokens,
            },
        }

    @override
    def read_answer(self, answer: Json) -> ChatReply:
        read = msgspec.convert(answer, type=_Answer)
        message = _message(_Turn(role="assistant", content=read.content))
        if not all(call.id and call.name for call in message.tool_calls):
            raise msgspec.ValidationError("a tool call without id or name")
        calls = distinct(answer, list(message.tool_calls))
        return ChatReply(
            message=msgspec.structs.replace(message, tool_calls=calls),
            usage=read.usage.total(),
            stopped_early=read.stop_reason in OUT_OF_ROOM,
            declined=read.stop_reason == "refusal",
        )

    @override
    def write_stream(self, answer: Json) -> Iterator[bytes]:
        for event in _events(answer):
            yield sse(event, event["type"])

    @override
    def stream_reader(self) -> StreamReader:
        return _Reader()

    @override
    def write_error(self, status: int, kind: str, message: str) -> Json:
        kind = kind or KIND_OF_STATUS.get(status, "api_error")
        return {"type": "error", "error": {"type": kind, "message": message}}

    @override
    def error_frame(self, error: Json) -> bytes:
        return sse(error, "error")


class AnthropicModels(ModelFactory):
    """Anthropic itself, and whoever speaks its protocol at another address."""

    @property
    @override
    def dialect(self) -> Dialect:
        return AnthropicMessages()

    @property
    @override
    def upstream(self) -> Upstream:
        return Upstream(
            base_url="https://api.anthropic.com",
            url_variable="ANTHROPIC_BASE_URL",
            key_variable=KEY_VARIABLES["anthropic"],
            key_header="x-api-key",
            key_form="{key}",
        )


def _own(message: Message) -> list[Json] | None:
    kept = message.verbatim
    # Copied, because the last block of a request is marked.
    return [dict(p) for p in kept.parts] if kept and kept.dialect == "anthropic" else None


def _content(message: Message) -> list[Json]:
    own = _own(message)
    return own or list(_said(message)) or [{"type": "text", "text": NOTHING_SAID}]


def _said(message: Message) -> Iterator[Json]:
    # Results come first: the API wants them directly after the calls they answer.
    for result in message.tool_results:
        yield {
            "type": "tool_result",
            "tool_use_id": result.call_id,
            "content": result.content,
            "is_error": result.is_error,
        }
    if message.text.strip():
        yield {"type": "text", "text": message.text}
    for call in message.tool_calls:
        yield {"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments}


def _message(turn: _Turn) -> Message:
    if isinstance(turn.content, str):
        role = "assistant" if turn.role == "assistant" else "user"
        return Message(role=role, text=turn.content)
    blocks = msgspec.convert(turn.content, list[_Block])
    if turn.role != "assistant":
        results = (block for block in blocks if block.type == "tool_result")
        return Message(
            role="user",
            text=_words(block for block in blocks if block.type != "tool_result"),
            tool_results=tuple(
                ToolResult(
                    call_id=block.tool_use_id,
                    content=_result(block.content),
                    is_error=bool(block.is_error),
                )
                for block in results
            ),
        )
    rest = any(block.type not in PLAIN for block in blocks)
    return Message(
        role="assistant",
        text=_words(block for block in blocks if block.type == "text"),
        tool_calls=tuple(
            ToolCall(id=block.id, name=block.name, arguments=msgspec.convert(block.input, Json))
            for block in blocks
            if block.type == "tool_use"
        ),
        verbatim=Verbatim(dialect="anthropic", parts=tuple(turn.content)) if rest else None,
    )


def _result(content: object) -> str:
    if isinstance(content, list):
        return _words(msgspec.convert(content, list[_Block]))
    return content if isinstance(content, str) else ""


def _words(blocks: Iterable[_Block]) -> str:
    """The text of blocks; of any other kind, that it is there."""
    return "".join(block.text if block.type == "text" else f"[{block.type}]" for block in blocks)


def _events(message: Json) -> Iterator[Json]:
    usage: Json = message["usage"]
    ending = {name: message.get(name) for name in ("stop_reason", "stop_sequence")}
    opening: Json = message | {"content": [], "usage": usage | {"output_tokens": 0}}
    yield {"type": "message_start", "message": opening | dict.fromkeys(ending)}
    for index, block in enumerate(message["content"]):
        empty, deltas = _block_parts(block)
        yield {"type": "content_block_start", "index": index, "content_block": empty}
        for delta in deltas:
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    yield {"type": "message_delta", "delta": ending, "usage": usage}
    yield {"type": "message_stop"}


def _block_parts(block: Json) -> tuple[Json, list[Json]]:
    """How a block begins, and what is added to it.

    Block types that are not streamed in parts begin complete.
    """
    match block["type"]:
        case "text":
            return block | {"text": ""}, [{"type": "text_delta", "text": block.get("text", "")}]
        case "tool_use":
            inputs = msgspec.json.encode(block.get("input", {})).decode()
            return block | {"input": {}}, [{"type": "input_json_delta", "partial_json": inputs}]
        case "thinking":
            return block | {"thinking": "", "signature": ""}, [
                {"type": "thinking_delta", "thinking": block.get("thinking", "")},
                {"type": "signature_delta", "signature": block.get("signature", "")},
            ]
        case _:
            return block, []


class _Reader(StreamReader):
    def __init__(self) -> None:
        self.acts = False
        self.ended = False
        self._message: Json = {}
        self._inputs: dict[int, str] = {}

    @override
    def read(self, frame: bytes) -> None:
        for event in sse_data(frame):
            try:
                self._take(event)
            except (KeyError, TypeError, IndexError, AttributeError) as error:
                raise BrokenStreamError("the event stream is malformed") from error

    @override
    def answer(self) -> Json:
        if not self.ended:
            raise BrokenStreamError("the event stream was cut off")
        try:
            for index, text in self._inputs.items():
                self._message["content"][index]["input"] = msgspec.json.decode(text or "{}")
            AnthropicMessages().read_answer(self._message)
        except (msgspec.DecodeError, KeyError, TypeError, IndexError) as error:
            raise BrokenStreamError("the event stream is malformed") from error
        return self._message

    def _take(self, event: Json) -> None:
        match event["type"]:
            case "message_start":
                self._message = dict(event["message"])
            case "content_block_start":
                block = dict(event["content_block"])
                self.acts = self.acts or block["type"] == "tool_use"
                self._message["content"].append(block)
            case "content_block_delta":
                self._extend(self._message["content"][event["index"]], event)
            case "message_delta":
                self._message |= event["delta"]
                self._message["usage"] |= event.get("usage", {})
            case "message_stop":
                self.ended = True
            case "error":
                said = failure_read(msgspec.json.encode(event))
                kind: Any = event["error"]["type"] if said.message else ""
                reason = f"the provider broke off: {said.message[:300]}"
                raise BrokenStreamError(reason, STATUS_OF_KIND.get(kind, 500))
            case _:
                pass

    def _extend(self, block: Json, event: Json) -> None:
        delta: Json = event["delta"]
        match delta["type"]:
            case "text_delta":
                block["text"] += delta["text"]
            case "thinking_delta":
                block["thinking"] += delta["thinking"]
            case "signature_delta":
                block["signature"] = delta["signature"]
            case "input_json_delta":
                index: int = event["index"]
                self._inputs[index] = self._inputs.get(index, "") + delta["partial_json"]
            case "citations_delta":
                block["citations"] = [*(block.get("citations") or []), delta["citation"]]
            case _:
                # A part we cannot add would make a recording that says less than was answered.
                raise BrokenStreamError("the event stream has an unknown kind of part")
