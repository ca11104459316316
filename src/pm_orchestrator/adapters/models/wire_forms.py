"""What several wire protocols have in common: frames of streams, results that failed, ids."""

import hashlib
import re
from collections.abc import Iterable, Iterator
from typing import Any, Protocol

import msgspec
from typing_extensions import override

from pm_orchestrator.domain.company.model_conversation import (
    Message,
    ToolCall,
    ToolDefinition,
    ToolResult,
)
from pm_orchestrator.domain.record import to_json
from pm_orchestrator.ports.dialect import (
    UNREADABLE,
    BrokenStreamError,
    Dialect,
    Json,
    VendorFailure,
)

DONE = b"[DONE]"
FAILED = "[the tool failed]\n"
"""Begins a result where the protocol has no other way to say so."""
NO_MONEY = "insufficient_quota"
"""The status is that of a rate limit, but no waiting helps."""
STATUS_OF_KIND = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "overloaded_error": 529,
}
"""What vendors call their errors, where the status does not say it."""
NOTHING_SAID = "(nothing)"
"""Vendors refuse an empty message, and models do end a turn without a word."""


class SseDialect(Dialect, Protocol):
    """Streams are server-sent events, and errors are the `error` of an object."""

    stream_type: str = "text/event-stream"
    frame_end: "re.Pattern[bytes]" = re.compile(rb"\r?\n\r?\n")
    ping: bytes = b": waiting\n\n"

    @override
    def read_error(self, body: bytes) -> VendorFailure:
        return failure_read(body)

    @override
    def error_frame(self, error: Json) -> bytes:
        return sse(error)


def sse(event: Json, name: str = "") -> bytes:
    """One server-sent event."""
    head = f"event: {name}\n" if name else ""
    return b"%bdata: %b\n\n" % (head.encode(), msgspec.json.encode(event))


def sse_data(frame: bytes) -> Iterator[Json]:
    """What a server-sent event brings: nothing, where it is a comment or the last of all.

    Raises:
        BrokenStreamError: it is no JSON object.
    """
    lines = frame.replace(b"\r\n", b"\n").split(b"\n")
    data = b"\n".join(line[5:].lstrip() for line in lines if line.startswith(b"data:"))
    if data and data != DONE:
        yield json_frame(data)


def json_frame(data: bytes) -> Json:
    """Raises BrokenStreamError for anything but a JSON object."""
    try:
        return msgspec.json.decode(data, type=Json)
    except UNREADABLE as error:
        raise BrokenStreamError("the event stream is malformed") from error


def given(**fields: Any) -> Json:
    """Those that have a value."""
    return {name: value for name, value in fields.items() if value is not None}


def result_text(content: str, *, is_error: bool) -> str:
    """A tool's result in words alone."""
    return FAILED + content if is_error else content


def result_read(text: str) -> tuple[str, bool]:
    """The result and whether it is a failure, out of its words."""
    return (text[len(FAILED) :], True) if text.startswith(FAILED) else (text, False)


def arguments_read(text: str) -> dict[str, Any]:
    """A call's arguments out of their JSON.

    Models do write broken JSON: then the tool is called with what no tool takes, and so the
    model hears what was wrong.
    """
    try:
        return msgspec.json.decode(text or "{}", type=dict[str, Any])
    except UNREADABLE:
        return {"unreadable_arguments": text}


def made_id(answer: Json, place: int) -> str:
    """An id for the call at `place`, where the vendor gives none; the same each time."""
    return f"call_{hashlib.sha256(to_json(answer)).hexdigest()[:12]}_{place}"


def distinct(answer: Json, calls: list[ToolCall]) -> tuple[ToolCall, ...]:
    """The calls under ids of their own, also where a model gave one id twice."""
    seen: set[str] = set()
    made: list[ToolCall] = []
    for place, call in enumerate(calls):
        if not call.id or call.id in seen:
            call = msgspec.structs.replace(call, id=made_id(answer, place))
        seen.add(call.id)
        made.append(call)
    return tuple(made)


def names_of_calls(messages: tuple[Message, ...]) -> dict[str, str]:
    """Which tool each call was for."""
    return {call.id: call.name for message in messages for call in message.tool_calls}


def functions_offered(tools: Iterable[ToolDefinition]) -> list[Json]:
    """Tools as most vendors want them described."""
    return [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.schema,
            },
        }
        for tool in tools
    ]


def turns_heard(messages: Iterable[Message]) -> Iterator[Message]:
    """One turn of the user out of results, each a message of its own, and the words behind them."""
    results: list[ToolResult] = []
    for message in messages:
        if message.tool_results:
            results += message.tool_results
            continue
        if message.role == "assistant" and results:
            yield Message(role="user", tool_results=tuple(results))
            results = []
        yield msgspec.structs.replace(message, tool_results=tuple(results))
        results = []
    if results:
        yield Message(role="user", tool_results=tuple(results))


def failure_read(body: bytes) -> VendorFailure:
    """What the `error` of a body says, as most vendors write it."""
    try:
        said = msgspec.json.decode(body, type=_Failed).error
    except UNREADABLE:
        return VendorFailure()
    status = STATUS_OF_KIND.get(str(said.code)) or STATUS_OF_KIND.get(said.type or "")
    status = said.code if isinstance(said.code, int) else status
    return VendorFailure(message=said.message, final=said.code == NO_MONEY, status=status)


class _Said(msgspec.Struct, frozen=True):
    message: str
    code: str | int | None = None
    type: str | None = None


class _Failed(msgspec.Struct, frozen=True):
    error: _Said
