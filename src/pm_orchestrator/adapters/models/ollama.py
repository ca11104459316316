"""Ollama's chat protocol: models on one's own machine."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal
from urllib.parse import urlsplit

import msgspec
from typing_extensions import override

from pm_orchestrator.adapters.models.wire_forms import (
    NOTHING_SAID,
    distinct,
    functions_offered,
    given,
    json_frame,
    names_of_calls,
    result_read,
    result_text,
    turns_heard,
)
from pm_orchestrator.domain.company.model_conversation import (
    ChatReply,
    ChatRequest,
    Message,
    TokenUsage,
    ToolCall,
    ToolDefinition,
    ToolResult,
)
from pm_orchestrator.ports.chat_model import ModelFactory, Upstream
from pm_orchestrator.ports.dialect import (
    UNREADABLE,
    BrokenStreamError,
    Dialect,
    Inquiry,
    Json,
    StreamReader,
    VendorFailure,
)

PORT = 11434


class _Function(msgspec.Struct, frozen=True):
    name: str
    arguments: Json = {}
    description: str = ""
    parameters: Json = {}


class _Call(msgspec.Struct, frozen=True):
    function: _Function
    id: str = ""


class _Turn(msgspec.Struct, frozen=True):
    role: str
    content: str = ""
    tool_calls: list[_Call] | None = None
    tool_name: str = ""
    tool_call_id: str = ""

    def calls(self) -> list[ToolCall]:
        return [
            ToolCall(id=call.id, name=call.function.name, arguments=call.function.arguments)
            for call in self.tool_calls or ()
        ]


class _Tool(msgspec.Struct, frozen=True):
    function: _Function


class _Options(msgspec.Struct, frozen=True):
    num_predict: int = 4096
    temperature: float | None = None


class _Request(msgspec.Struct, frozen=True):
    model: str
    messages: list[_Turn]
    tools: list[_Tool] | None = None
    options: _Options | None = None
    stream: bool = True
    """Without a word about it, it streams."""


class _Answer(msgspec.Struct, frozen=True):
    message: _Turn
    done: Literal[True]
    done_reason: str = "stop"
    prompt_eval_count: int = 0
    eval_count: int = 0


class _Failed(msgspec.Struct, frozen=True):
    error: str


class OllamaChat(Dialect):
    """`POST /api/chat`."""

    name = "ollama"
    route = re.compile(r"/api/chat")
    stream_type = "application/x-ndjson"
    frame_end = re.compile(rb"\r?\n")
    ping = b""

    @override
    def path(self, request: ChatRequest) -> str:
        return "/api/chat"

    @override
    def write_request(self, request: ChatRequest) -> Json:
        names = names_of_calls(request.messages)
        system = [{"role": "system", "content": request.system}] if request.system else []
        turns = (turn for message in request.messages for turn in _turns(message, names))
        body: Json = {
            "model": request.model,
            "messages": [*system, *turns],
            "stream": False,
            "options": given(num_predict=request.max_tokens, temperature=request.temperature),
        }
        if request.tools:
            body["tools"] = functions_offered(request.tools)
        return body

    @override
    def read_request(self, body: bytes, path: str) -> Inquiry:
        read = msgspec.json.decode(body, type=_Request)
        options = read.options or _Options()
        return Inquiry(
            request=ChatRequest(
                model=read.model,
                system="\n".join(t.content for t in read.messages if t.role == "system"),
                messages=tuple(
                    turns_heard(_message(t) for t in read.messages if t.role != "system")
                ),
                tools=tuple(
                    ToolDefinition(
                        name=tool.function.name,
                        description=tool.function.description,
                        schema=tool.function.parameters,
                    )
                    for tool in read.tools or ()
                ),
                max_tokens=options.num_predict,
                temperature=options.temperature,
            ),
            stream=read.stream,
        )

    @override
    def write_answer(self, reply: ChatReply, model: str) -> Json:
        (turn,) = _turns(reply.message, {})
        turn["content"] = reply.message.text
        return {
            "model": model,
            "created_at": "1970-01-01T00:00:00Z",
            "message": turn,
            "done": True,
            "done_reason": "length" if reply.stopped_early else "stop",
            "prompt_eval_count": reply.usage.input_tokens,
            "eval_count": reply.usage.output_tokens,
        }

    @override
    def read_answer(self, answer: Json) -> ChatReply:
        read = msgspec.convert(answer, type=_Answer)
        return ChatReply(
            message=Message(
                role="assistant",
                text=read.message.content,
                tool_calls=distinct(answer, read.message.calls()),
            ),
            usage=TokenUsage(input_tokens=read.prompt_eval_count, output_tokens=read.eval_count),
            stopped_early=read.done_reason == "length",
        )

    @override
    def write_stream(self, answer: Json) -> Iterator[bytes]:
        head = {name: answer[name] for name in ("model", "created_at")} | {"done": False}
        message: Json = answer["message"]
        yield _line(head | {"message": message})
        yield _line(answer | {"message": {"role": "assistant", "content": ""}})

    @override
    def stream_reader(self) -> StreamReader:
        return _Reader()

    @override
    def write_error(self, status: int, kind: str, message: str) -> Json:
        return {"error": message}

    @override
    def read_error(self, body: bytes) -> VendorFailure:
        try:
            return VendorFailure(message=msgspec.json.decode(body, type=_Failed).error)
        except UNREADABLE:
            return VendorFailure()

    @override
    def error_frame(self, error: Json) -> bytes:
        return _line(error)


class OllamaHost(Upstream, frozen=True, kw_only=True):
    """`OLLAMA_HOST` may be a bare name, with or without a port."""

    @override
    def address(self, variables: Mapping[str, str]) -> str:
        given = super().address(variables).strip()
        url = given if "://" in given else f"http://{given}"
        parts = urlsplit(url)
        if parts.scheme == "http" and parts.netloc.rpartition("]")[2].find(":") < 0:
            url = parts._replace(netloc=f"{parts.netloc}:{PORT}").geturl()
        # Where it listens is not where it is asked.
        return url.replace("//0.0.0.0:", "//127.0.0.1:", 1)


class OllamaModels(ModelFactory):
    """A server of one's own; it wants no key."""

    @property
    @override
    def dialect(self) -> Dialect:
        return OllamaChat()

    @property
    @override
    def upstream(self) -> Upstream:
        there = f"http://127.0.0.1:{PORT}"
        return OllamaHost(base_url=there, url_variable="OLLAMA_HOST", models_path="/api/tags")


def _turns(message: Message, names: dict[str, str]) -> Iterator[Json]:
    for result in message.tool_results:
        yield {
            "role": "tool",
            "content": result_text(result.content, is_error=result.is_error),
            "tool_name": names.get(result.call_id, ""),
            "tool_call_id": result.call_id,
        }
    if message.role == "user" and message.tool_results and not message.text:
        return
    words = message.text if message.tool_calls else message.text or NOTHING_SAID
    turn: Json = {"role": message.role, "content": words}
    if message.tool_calls:
        turn["tool_calls"] = [
            {"id": call.id, "function": {"name": call.name, "arguments": call.arguments}}
            for call in message.tool_calls
        ]
    yield turn


def _message(turn: _Turn) -> Message:
    if turn.role == "tool":
        content, failed = result_read(turn.content)
        call = turn.tool_call_id or turn.tool_name
        result = ToolResult(call_id=call, content=content, is_error=failed)
        return Message(role="user", tool_results=(result,))
    if turn.role == "assistant":
        return Message(role="assistant", text=turn.content, tool_calls=tuple(turn.calls()))
    return Message(role="user", text=turn.content)


def _line(event: Json) -> bytes:
    return msgspec.json.encode(event) + b"\n"


class _Reader(StreamReader):
    def __init__(self) -> None:
        self.acts = False
        self.ended = False
        self._words = ""
        self._calls: list[Any] = []
        self._last: Json = {}

    @override
    def read(self, frame: bytes) -> None:
        if not frame.strip():
            return
        event = json_frame(frame)
        if "error" in event:
            raise BrokenStreamError(f"the provider broke off: {str(event['error'])[:300]}", 500)
        try:
            part = msgspec.convert(event.get("message"), Json)
        except msgspec.ValidationError as error:
            raise BrokenStreamError("the event stream is malformed") from error
        self._words += str(part.get("content") or "")
        self._calls += part.get("tool_calls") or []
        self.acts = bool(self._calls)
        self._last = event
        self.ended = event.get("done") is True

    @override
    def answer(self) -> Json:
        if not self.ended:
            raise BrokenStreamError("the event stream was cut off")
        message: Json = {"role": "assistant", "content": self._words}
        if self._calls:
            message["tool_calls"] = self._calls
        return self._last | {"message": message}
