"""Tools for models that cannot call any: they are told of them, and call them, in words.

Whether a model can is found out by the first question with tools that it is asked, and
remembered. In words a call is a JSON object and nothing else; whoever cannot keep to that is
told by the tool loop, as is one that says nothing useful.
"""

import json
import re
from collections.abc import Awaitable, Callable, Iterator
from itertools import islice
from typing import Any, cast

from msgspec.structs import replace
from typing_extensions import override

from pm_orchestrator.domain.company.model_conversation import (
    ChatReply,
    ChatRequest,
    Message,
    ToolCall,
    ToolResult,
)
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.record import to_json
from pm_orchestrator.ports.chat_model import ChatModel

REFUSES_TOOLS = re.compile(
    r"\b(tool|function)s?\b.*\b(not|no|un(supported|known|recogni[sz]ed))\b"
    r"|\b(not|no|un(supported|known|recogni[sz]ed))\b.*\b(tool|function)s?\b",
    re.IGNORECASE | re.DOTALL,
)
"""What vendors say of a model that has none."""
MOST_STARTS = 20
"""Brackets in words that are tried for the beginning of a call."""
FENCED = re.compile(r"```(?:json)?[^\S\n]*\n(.*?)\n[^\S\n]*```", re.DOTALL)
TOLD = """\
You work by calling tools. To call one, answer with one JSON object and nothing else:
{"tool": "NAME", "arguments": {...}}
To call several, answer with a list of such objects. You are told the results next.

The tools, each with the JSON schema of its arguments:
"""


class TextTools(ChatModel):
    """Asks `inner`, in words where its models are `lacking` tool calls.

    `noted` hears of one that turned out to lack them.
    """

    def __init__(
        self,
        inner: ChatModel,
        lacking: Callable[[str], bool],
        noted: Callable[[str], Awaitable[None]],
    ) -> None:
        self._inner = inner
        self._lacking = lacking
        self._noted = noted

    @override
    async def chat(self, request: ChatRequest) -> ChatReply:
        if not request.tools:
            return await self._inner.chat(request)
        if self._lacking(request.model):
            return await self._in_words(request)
        try:
            reply = await self._inner.chat(request)
        except PmError as refusal:
            if not _may_lack_them(refusal):
                raise
            try:
                reply = await self._in_words(request)
            except PmError:
                # Not for want of tools, then.
                raise refusal from None
            await self._noted(request.model)
            return reply
        calls = () if reply.message.tool_calls else _calls(reply.message.text, request, alone=True)
        if not calls:
            return reply
        # It was not told in words, and said it in words all the same.
        await self._noted(request.model)
        return _with_calls(reply, calls)

    async def _in_words(self, request: ChatRequest) -> ChatReply:
        reply = await self._inner.chat(in_words(request))
        if reply.message.tool_calls:
            return reply
        return _with_calls(reply, _calls(reply.message.text, request, alone=False))


def in_words(request: ChatRequest) -> ChatRequest:
    """The same question without any tool in it."""
    tools = "\n".join(
        f"- {tool.name}: {tool.description} Arguments: {to_json(tool.schema).decode()}"
        for tool in request.tools
    )
    names = {call.id: call.name for said in request.messages for call in said.tool_calls}
    return replace(
        request,
        system=f"{request.system}\n\n{TOLD}{tools}".strip(),
        messages=tuple(_told(message, names) for message in request.messages),
        tools=(),
    )


def _told(message: Message, names: dict[str, str]) -> Message:
    calls = [{"tool": call.name, "arguments": call.arguments} for call in message.tool_calls]
    said = [message.text] if message.text else []
    if calls:
        said.append(to_json(calls[0] if len(calls) == 1 else calls).decode())
    said = [*(_result(each, names) for each in message.tool_results), *said]
    return Message(role=message.role, text="\n\n".join(said))


def _result(result: ToolResult, names: dict[str, str]) -> str:
    failed = " (it failed)" if result.is_error else ""
    return f"Result of {names.get(result.call_id, 'the tool')}{failed}:\n{result.content}"


def _may_lack_them(error: PmError) -> bool:
    """A vendor says so, or a recording of such a model has no answer to a question with tools."""
    if error.slug == "model_refused":
        return REFUSES_TOOLS.search(str(error.params["reason"])) is not None
    return error.slug == "cassette_mismatch"


def _with_calls(reply: ChatReply, calls: tuple[ToolCall, ...]) -> ChatReply:
    if not calls:
        return reply
    # What it said is what it called; said twice it would be sent back twice.
    return replace(reply, message=Message(role="assistant", tool_calls=calls))


def _calls(text: str, request: ChatRequest, *, alone: bool) -> tuple[ToolCall, ...]:
    """The calls in a text; where they must stand `alone`, only if there is nothing else."""
    offered = {tool.name for tool in request.tools}
    for candidate in _candidates(text.strip(), alone=alone):
        found = _objects(candidate)
        if found and all(_name(each) for each in found):
            if alone and not all(_name(each) in offered for each in found):
                continue
            turn = len(request.messages)
            return tuple(
                ToolCall(id=f"said_{turn}_{place}", name=_name(each), arguments=_arguments(each))
                for place, each in enumerate(found)
            )
    return ()


def _candidates(text: str, *, alone: bool) -> Iterator[str]:
    fenced = FENCED.findall(text)
    if not alone:
        yield text
        yield from fenced
        # In the middle of words: as long as it goes on being JSON.
        starts = (place for place, letter in enumerate(text) if letter in "[{")
        for start in islice(starts, MOST_STARTS):
            try:
                _, end = json.JSONDecoder().raw_decode(text, start)
            except (ValueError, RecursionError):
                continue
            yield text[start:end]
            return
    elif len(fenced) == 1 and FENCED.fullmatch(text):
        yield fenced[0]
    else:
        yield text


def _objects(text: str) -> list[dict[str, Any]]:
    try:
        read: Any = json.loads(text)
    except (ValueError, RecursionError):
        return []
    listed = cast("list[Any]", read) if isinstance(read, list) else [read]
    objects = [cast("dict[str, Any]", each) for each in listed if isinstance(each, dict)]
    return objects if len(objects) == len(listed) else []


def _name(said: dict[str, Any]) -> str:
    name = said.get("tool") or said.get("name")
    return name if isinstance(name, str) and isinstance(_arguments(said), dict) else ""


def _arguments(said: dict[str, Any]) -> Any:
    return said.get("arguments", said.get("parameters"))
