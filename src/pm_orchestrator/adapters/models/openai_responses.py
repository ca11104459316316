"""OpenAI's Responses protocol, used without the vendor's memory: each request says it all."""

import re
from collections.abc import Iterable, Iterator
from itertools import count
from typing import Literal

import msgspec
from typing_extensions import override

from pm_orchestrator.adapters.models.openai import SYSTEM_ROLES, UPSTREAM
from pm_orchestrator.adapters.models.wire_forms import (
    NOTHING_SAID,
    SseDialect,
    arguments_read,
    distinct,
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
    Verbatim,
)
from pm_orchestrator.ports.chat_model import ModelFactory, Upstream
from pm_orchestrator.ports.dialect import (
    BrokenStreamError,
    Dialect,
    Inquiry,
    Json,
    StreamReader,
)

NAME = "openai-responses"
WITHOUT_REASONING = re.compile(r"gpt-[34]|chatgpt-4")
"""They refuse to be asked for it."""
FEWEST_TOKENS = 16
"""The vendor refuses to answer in fewer."""


class _Part(msgspec.Struct, frozen=True):
    type: str
    text: str = ""
    refusal: str = ""


class _Item(msgspec.Struct, frozen=True):
    """Of the input or of the output."""

    type: str = "message"
    role: str = ""
    content: str | list[_Part] | None = None
    call_id: str = ""
    name: str = ""
    arguments: str = ""
    output: str | list[_Part] = ""
    encrypted_content: str | None = None

    def words(self) -> str:
        return _words(self.content or "")


class _Tool(msgspec.Struct, frozen=True):
    type: str = "function"
    name: str = ""
    description: str | None = None
    parameters: Json | None = None


class _Request(msgspec.Struct, frozen=True):
    model: str
    input: str | list[Json]
    instructions: str | None = None
    tools: list[_Tool] | None = None
    max_output_tokens: int | None = None
    temperature: float | None = None
    stream: bool | None = False


class _Usage(msgspec.Struct, frozen=True):
    input_tokens: int = 0
    output_tokens: int = 0


class _Why(msgspec.Struct, frozen=True):
    reason: str = ""
    message: str = ""
    code: str | int | None = None


class _Answer(msgspec.Struct, frozen=True):
    status: Literal["completed", "incomplete"]
    output: list[Json]
    usage: _Usage | None = None
    incomplete_details: _Why | None = None


class OpenAIResponses(SseDialect):
    """`POST /v1/responses`."""

    name = NAME
    route = re.compile(r"/v1/responses")

    @override
    def path(self, request: ChatRequest) -> str:
        return "/v1/responses"

    @override
    def write_request(self, request: ChatRequest) -> Json:
        body: Json = {
            "model": request.model,
            "input": [item for message in request.messages for item in _items(message)],
            "max_output_tokens": max(request.max_tokens, FEWEST_TOKENS),
            "store": False,
            **given(temperature=request.temperature, instructions=request.system or None),
        }
        if WITHOUT_REASONING.match(request.model) is None:
            body["include"] = ["reasoning.encrypted_content"]
        if request.tools:
            body["tools"] = [
                {
                    "type": "function",
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": tool.schema,
                    "strict": False,
                }
                for tool in request.tools
            ]
        return body

    @override
    def read_request(self, body: bytes, path: str) -> Inquiry:
        read = msgspec.json.decode(body, type=_Request)
        said = read.input
        sent: list[Json] = [{"role": "user", "content": said}] if isinstance(said, str) else said
        raw = [(item, msgspec.convert(item, _Item)) for item in sent]
        system = [item.words() for _, item in raw if item.role in SYSTEM_ROLES]
        return Inquiry(
            request=ChatRequest(
                model=read.model,
                system="\n".join([read.instructions or "", *system]).strip("\n"),
                messages=tuple(
                    turns_heard(_messages((o, i) for o, i in raw if i.role not in SYSTEM_ROLES))
                ),
                tools=tuple(
                    ToolDefinition(
                        name=tool.name or tool.type,
                        description=tool.description or "",
                        schema=tool.parameters or {},
                    )
                    for tool in read.tools or ()
                ),
                max_tokens=read.max_output_tokens or 4096,
                temperature=read.temperature,
            ),
            stream=bool(read.stream),
        )

    @override
    def write_answer(self, reply: ChatReply, model: str) -> Json:
        cut = "max_output_tokens" if reply.stopped_early else "content_filter"
        whole = not (reply.stopped_early or reply.declined)
        own = _own(reply.message)
        used = reply.usage
        output = list(_output(reply.message)) if own is None else own
        return {
            "id": "resp_recorded",
            "object": "response",
            "created_at": 0,
            "model": model,
            "status": "completed" if whole else "incomplete",
            "error": None,
            "incomplete_details": None if whole else {"reason": cut},
            "output": output,
            "usage": {
                "input_tokens": used.input_tokens,
                "output_tokens": used.output_tokens,
                "total_tokens": used.input_tokens + used.output_tokens,
            },
        }

    @override
    def read_answer(self, answer: Json) -> ChatReply:
        read = msgspec.convert(answer, type=_Answer)
        items = [(item, msgspec.convert(item, _Item)) for item in read.output]
        message = _spoken(items)
        why = read.incomplete_details.reason if read.incomplete_details else ""
        used = read.usage or _Usage()
        calls = distinct(answer, list(message.tool_calls))
        refused = any(
            part.type == "refusal"
            for _, item in items
            if isinstance(item.content, list)
            for part in item.content
        )
        return ChatReply(
            message=msgspec.structs.replace(message, tool_calls=calls),
            usage=TokenUsage(input_tokens=used.input_tokens, output_tokens=used.output_tokens),
            stopped_early=read.status == "incomplete" and why != "content_filter",
            declined=why == "content_filter" or refused,
        )

    @override
    def write_stream(self, answer: Json) -> Iterator[bytes]:
        numbers = count()
        for event in _events(answer):
            event["sequence_number"] = next(numbers)
            yield sse(event, event["type"])

    @override
    def stream_reader(self) -> StreamReader:
        return _Reader()

    @override
    def write_error(self, status: int, kind: str, message: str) -> Json:
        return {"error": {"message": message, "type": kind or "error", "code": str(status)}}

    @override
    def error_frame(self, error: Json) -> bytes:
        return sse({"type": "error", **error["error"]}, "error")


class ResponsesModels(ModelFactory):
    """OpenAI by its newer protocol."""

    @property
    @override
    def dialect(self) -> Dialect:
        return OpenAIResponses()

    @property
    @override
    def upstream(self) -> Upstream:
        return UPSTREAM


def _own(message: Message) -> list[Json] | None:
    kept = message.verbatim
    return list(kept.parts) if kept and kept.dialect == NAME else None


def _items(message: Message) -> Iterator[Json]:
    for result in message.tool_results:
        output = result_text(result.content, is_error=result.is_error)
        yield {"type": "function_call_output", "call_id": result.call_id, "output": output}
    if message.role == "user":
        if message.text or not message.tool_results:
            words = {"type": "input_text", "text": message.text or NOTHING_SAID}
            yield {"type": "message", "role": "user", "content": [words]}
        return
    own = _own(message)
    if own is not None:
        yield from own
        return
    yield from (
        _output(message)
        if message.text or message.tool_calls
        else _output(msgspec.structs.replace(message, text=NOTHING_SAID))
    )


def _output(message: Message) -> Iterator[Json]:
    if message.text:
        words: Json = {"type": "output_text", "text": message.text, "annotations": []}
        yield {"type": "message", "role": "assistant", "content": [words]}
    for call in message.tool_calls:
        yield {
            "type": "function_call",
            "call_id": call.id,
            "name": call.name,
            "arguments": msgspec.json.encode(call.arguments).decode(),
        }


def _words(content: str | list[_Part]) -> str:
    if isinstance(content, str):
        return content
    return "".join(
        part.text if part.type.endswith("text") else part.refusal or f"[{part.type}]"
        for part in content
    )


def _messages(items: Iterable[tuple[Json, _Item]]) -> Iterator[Message]:
    """What the assistant says in a row is one turn."""
    said: list[tuple[Json, _Item]] = []
    for raw, item in items:
        answers = item.type.endswith("_output")
        if not answers and item.role != "user":
            said.append((raw, item))
            continue
        if said:
            yield _spoken(said)
            said = []
        if answers:
            content, failed = result_read(_words(item.output))
            result = ToolResult(call_id=item.call_id, content=content, is_error=failed)
            yield Message(role="user", tool_results=(result,))
        else:
            yield Message(role="user", text=item.words())
    if said:
        yield _spoken(said)


def _spoken(items: list[tuple[Json, _Item]]) -> Message:
    # Reasoning without its content stays with a vendor that was told to remember nothing.
    reasons = any(item.encrypted_content for _, item in items)
    return Message(
        role="assistant",
        text="".join(item.words() for _, item in items if item.type == "message"),
        tool_calls=tuple(
            ToolCall(id=item.call_id, name=item.name, arguments=arguments_read(item.arguments))
            for _, item in items
            if item.type == "function_call"
        ),
        verbatim=Verbatim(dialect=NAME, parts=tuple(r for r, _ in items)) if reasons else None,
    )


def _events(answer: Json) -> Iterator[Json]:
    opening: Json = answer | {"status": "in_progress", "output": [], "usage": None}
    yield {"type": "response.created", "response": opening}
    for index, item in enumerate(answer["output"]):
        place: Json = {"output_index": index, "item_id": item.get("id", f"item_{index}")}
        begun: Json = {name: item[name] for name in item if name not in ("content", "arguments")}
        empty: Json = {"content": []} if item["type"] == "message" else {}
        if item["type"] == "function_call":
            empty = {"arguments": ""}
        added = begun | empty | {"id": place["item_id"], "status": "in_progress"}
        yield {"type": "response.output_item.added", "output_index": index, "item": added}
        if item["type"] == "message":
            for number, part in enumerate(item["content"]):
                there = place | {"content_index": number}
                text = part.get("text", "")
                empty = part | {"text": ""}
                yield {"type": "response.content_part.added", **there, "part": empty}
                yield {"type": "response.output_text.delta", **there, "delta": text}
                yield {"type": "response.output_text.done", **there, "text": text}
                yield {"type": "response.content_part.done", **there, "part": part}
        elif item["type"] == "function_call":
            inputs = item["arguments"]
            yield {"type": "response.function_call_arguments.delta", **place, "delta": inputs}
            yield {"type": "response.function_call_arguments.done", **place, "arguments": inputs}
        yield {"type": "response.output_item.done", "output_index": index, "item": item}
    yield {"type": f"response.{answer['status']}", "response": answer}


class _Reader(StreamReader):
    def __init__(self) -> None:
        self.acts = False
        self.ended = False
        self._items: list[Json] = []
        self._answer: Json | None = None

    @override
    def read(self, frame: bytes) -> None:
        for event in sse_data(frame):
            try:
                self._take(event)
            except (KeyError, TypeError, AttributeError, msgspec.ValidationError) as error:
                raise BrokenStreamError("the event stream is malformed") from error

    @override
    def answer(self) -> Json:
        if self._answer is None:
            raise BrokenStreamError("the event stream was cut off")
        return self._answer

    def _take(self, event: Json) -> None:
        match event["type"]:
            case "response.output_item.added":
                self.acts = self.acts or event["item"]["type"] != "message"
            case "response.output_item.done":
                self._items.append(event["item"])
            case "response.completed" | "response.incomplete":
                whole: Json = event["response"]
                self._answer = whole | {"output": whole.get("output") or self._items}
                self.ended = True
            case "response.failed":
                raise _broken(event["response"].get("error"))
            case "error":
                raise _broken(event.get("error") or event)
            case _:
                pass


def _broken(error: object) -> BrokenStreamError:
    said = msgspec.convert(error, _Why) if error else _Why()
    busy = str(said.code).startswith("rate_limit")
    return BrokenStreamError(f"the provider broke off: {said.message[:300]}", 429 if busy else 500)
