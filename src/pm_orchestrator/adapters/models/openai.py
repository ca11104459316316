"""OpenAI's Chat Completions protocol, which many other vendors and local servers speak too."""

import re
from collections.abc import Iterator
from typing import Any

import msgspec
from typing_extensions import override

from pm_orchestrator.adapters.models.wire_forms import (
    DONE,
    NOTHING_SAID,
    SseDialect,
    arguments_read,
    distinct,
    failure_read,
    functions_offered,
    given,
    result_read,
    result_text,
    sse,
    sse_data,
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
from pm_orchestrator.domain.setup.providers import KEY_VARIABLES
from pm_orchestrator.ports.chat_model import ModelFactory, Upstream
from pm_orchestrator.ports.dialect import (
    BrokenStreamError,
    Dialect,
    Inquiry,
    Json,
    StreamReader,
)

SYSTEM_ROLES = frozenset({"system", "developer"})
UPSTREAM = Upstream(
    base_url="https://api.openai.com/v1",
    url_variable="OPENAI_BASE_URL",
    key_variable=KEY_VARIABLES["openai"],
)


class _Function(msgspec.Struct, frozen=True):
    name: str = ""
    arguments: str = ""
    description: str | None = None
    parameters: Json = {}


class _Call(msgspec.Struct, frozen=True):
    id: str = ""
    function: _Function = _Function()


class _Part(msgspec.Struct, frozen=True):
    type: str
    text: str = ""


class _Turn(msgspec.Struct, frozen=True):
    role: str
    content: str | list[_Part] | None = None
    tool_calls: list[_Call] | None = None
    tool_call_id: str = ""
    refusal: str | None = None

    def words(self) -> str:
        match self.content:
            case None:
                return ""
            case str(text):
                return text
            case parts:
                return "".join(p.text if p.type == "text" else f"[{p.type}]" for p in parts)

    def calls(self) -> list[ToolCall]:
        return [
            ToolCall(
                id=call.id,
                name=call.function.name,
                arguments=arguments_read(call.function.arguments),
            )
            for call in self.tool_calls or ()
        ]


class _Tool(msgspec.Struct, frozen=True):
    function: _Function = _Function()


class _Request(msgspec.Struct, frozen=True):
    model: str
    messages: list[_Turn]
    tools: list[_Tool] | None = None
    max_completion_tokens: int | None = None
    max_tokens: int | None = None
    temperature: float | None = None
    stream: bool | None = False


class _Choice(msgspec.Struct, frozen=True):
    message: _Turn
    finish_reason: str


class _Usage(msgspec.Struct, frozen=True):
    prompt_tokens: int = 0
    completion_tokens: int = 0


class _Answer(msgspec.Struct, frozen=True):
    choices: list[_Choice]
    usage: _Usage | None = None


class OpenAIChat(SseDialect):
    """`POST /v1/chat/completions`."""

    name = "openai-chat"
    route = re.compile(r"/v1/chat/completions")

    @override
    def path(self, request: ChatRequest) -> str:
        return "/v1/chat/completions"

    @override
    def write_request(self, request: ChatRequest) -> Json:
        system = [{"role": "system", "content": request.system}] if request.system else []
        turns = (turn for message in request.messages for turn in _turns(message))
        body: Json = {
            "model": request.model,
            "max_completion_tokens": request.max_tokens,
            "messages": [*system, *turns],
            **given(temperature=request.temperature),
        }
        if request.tools:
            body["tools"] = functions_offered(request.tools)
        return body

    @override
    def read_request(self, body: bytes, path: str) -> Inquiry:
        read = msgspec.json.decode(body, type=_Request)
        return Inquiry(
            request=ChatRequest(
                model=read.model,
                system="\n".join(t.words() for t in read.messages if t.role in SYSTEM_ROLES),
                messages=tuple(
                    turns_heard(_message(t) for t in read.messages if t.role not in SYSTEM_ROLES)
                ),
                tools=tuple(
                    ToolDefinition(
                        name=tool.function.name,
                        description=tool.function.description or "",
                        schema=tool.function.parameters,
                    )
                    for tool in read.tools or ()
                ),
                max_tokens=read.max_completion_tokens or read.max_tokens or 4096,
                temperature=read.temperature,
            ),
            stream=bool(read.stream),
        )

    @override
    def write_answer(self, reply: ChatReply, model: str) -> Json:
        calls = bool(reply.message.tool_calls)
        stop = "length" if reply.stopped_early else "tool_calls" if calls else "stop"
        used = reply.usage
        (message,) = _turns(reply.message)
        return {
            "id": "chatcmpl-recorded",
            "object": "chat.completion",
            "created": 0,
            "model": model,
            "choices": [
                {
                    "index": 0,
                    "message": message | {"content": reply.message.text or None},
                    "finish_reason": "content_filter" if reply.declined else stop,
                }
            ],
            "usage": {
                "prompt_tokens": used.input_tokens,
                "completion_tokens": used.output_tokens,
                "total_tokens": used.input_tokens + used.output_tokens,
            },
        }

    @override
    def read_answer(self, answer: Json) -> ChatReply:
        read = msgspec.convert(answer, type=_Answer)
        if not read.choices:
            raise msgspec.ValidationError("an answer without a choice")
        said, why = read.choices[0].message, read.choices[0].finish_reason
        used = read.usage or _Usage()
        return ChatReply(
            message=Message(
                role="assistant", text=said.words(), tool_calls=distinct(answer, said.calls())
            ),
            usage=TokenUsage(input_tokens=used.prompt_tokens, output_tokens=used.completion_tokens),
            stopped_early=why == "length",
            declined=why == "content_filter" or bool(said.refusal),
        )

    @override
    def write_stream(self, answer: Json) -> Iterator[bytes]:
        (choice,) = answer["choices"]
        message: Json = choice["message"]
        head = {name: answer[name] for name in ("id", "created", "model")}
        head["object"] = "chat.completion.chunk"

        def chunk(delta: Json, why: str | None = None) -> bytes:
            part = {"index": 0, "delta": delta, "finish_reason": why}
            return sse(head | {"choices": [part]})

        yield chunk({"role": "assistant", "content": message.get("content") or ""})
        for index, call in enumerate(message.get("tool_calls") or ()):
            yield chunk({"tool_calls": [{"index": index, **call}]})
        yield chunk({}, choice["finish_reason"])
        yield sse(head | {"choices": [], "usage": answer["usage"]})
        yield b"data: %b\n\n" % DONE

    @override
    def stream_reader(self) -> StreamReader:
        return _Reader()

    @override
    def write_error(self, status: int, kind: str, message: str) -> Json:
        return {"error": {"message": message, "type": kind or "error", "code": status}}


class OpenAIModels(ModelFactory):
    """OpenAI, and any compatible server at `OPENAI_BASE_URL`."""

    @property
    @override
    def dialect(self) -> Dialect:
        return OpenAIChat()

    @property
    @override
    def upstream(self) -> Upstream:
        return UPSTREAM


def _turns(message: Message) -> Iterator[Json]:
    """One turn of ours is several of theirs: each result is a message of its own."""
    for result in message.tool_results:
        text = result_text(result.content, is_error=result.is_error)
        yield {"role": "tool", "tool_call_id": result.call_id, "content": text}
    if message.role == "user":
        if message.text or not message.tool_results:
            yield {"role": "user", "content": message.text or NOTHING_SAID}
        return
    turn: Json = {"role": "assistant", "content": message.text or None}
    if message.tool_calls:
        turn["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {
                    "name": call.name,
                    "arguments": msgspec.json.encode(call.arguments).decode(),
                },
            }
            for call in message.tool_calls
        ]
    elif not message.text:
        turn["content"] = NOTHING_SAID
    yield turn


def _message(turn: _Turn) -> Message:
    if turn.role == "tool":
        content, failed = result_read(turn.words())
        call = turn.tool_call_id
        result = ToolResult(call_id=call, content=content, is_error=failed)
        return Message(role="user", tool_results=(result,))
    if turn.role == "assistant":
        return Message(role="assistant", text=turn.words(), tool_calls=tuple(turn.calls()))
    return Message(role="user", text=turn.words())


class _Delta(msgspec.Struct, frozen=True):
    class Call(msgspec.Struct, frozen=True):
        index: int = 0
        id: str | None = None
        function: Json = {}

    content: str | None = None
    refusal: str | None = None
    tool_calls: list[Call] | None = None


class _Chunk(msgspec.Struct, frozen=True):
    class Choice(msgspec.Struct, frozen=True):
        delta: _Delta | None = None
        finish_reason: str | None = None

    choices: list[Choice] | None = None
    usage: Json | None = None
    error: Any = None


class _Reader(StreamReader):
    def __init__(self) -> None:
        self.acts = False
        self.ended = False
        self._first: Json = {}
        self._usage: Json | None = None
        self._why: str | None = None
        self._words: dict[str, str] = {"content": "", "refusal": ""}
        self._calls: dict[int, Json] = {}

    @override
    def read(self, frame: bytes) -> None:
        # A stream may end without its last word, but not without a reason to stop.
        self.ended = self.ended or frame.strip().endswith(DONE)
        for event in sse_data(frame):
            try:
                chunk = msgspec.convert(event, _Chunk)
            except msgspec.ValidationError as error:
                raise BrokenStreamError("the event stream is malformed") from error
            if chunk.error is not None:
                reason = failure_read(msgspec.json.encode(event)).message[:300]
                raise BrokenStreamError(f"the provider broke off: {reason}", 500)
            self._first = self._first or event
            self._usage = chunk.usage or self._usage
            for choice in chunk.choices or ():
                self._why = choice.finish_reason or self._why
                if choice.delta is not None:
                    self._add(choice.delta)

    @override
    def answer(self) -> Json:
        if self._why is None:
            raise BrokenStreamError("the event stream was cut off")
        message: Json = {"role": "assistant", "content": self._words["content"] or None}
        if self._words["refusal"]:
            message["refusal"] = self._words["refusal"]
        if self._calls:
            message["tool_calls"] = [call for _, call in sorted(self._calls.items())]
        return {
            "id": self._first.get("id", ""),
            "object": "chat.completion",
            "created": self._first.get("created", 0),
            "model": self._first.get("model", ""),
            "choices": [{"index": 0, "message": message, "finish_reason": self._why}],
            "usage": self._usage,
        }

    def _add(self, delta: _Delta) -> None:
        self._words["content"] += delta.content or ""
        self._words["refusal"] += delta.refusal or ""
        for part in delta.tool_calls or ():
            self.acts = True
            empty: Json = {"type": "function", "function": {"name": "", "arguments": ""}}
            call = self._calls.setdefault(part.index, empty)
            call["id"] = call.get("id") or part.id or ""
            for name in ("name", "arguments"):
                call["function"][name] += str(part.function.get(name) or "")
