"""The scripted Anthropic provider as the bench of the chat model contract."""

from typing import Any

from msgspec.structs import replace
from typing_extensions import override

from pm_orchestrator.adapters.gateway.upstream import Forward
from pm_orchestrator.adapters.models.anthropic import UPSTREAM
from pm_orchestrator.domain.company.model_conversation import (
    ChatReply,
    ChatRequest,
    Message,
    ToolCall,
    ToolDefinition,
    ToolResult,
)
from pm_orchestrator.ports.chat_model import ChatModel
from pm_orchestrator.testing.contracts.chat_model_contract import ModelBench, Trouble
from pm_orchestrator.testing.scripted.anthropic_messages import Json, say_error
from pm_orchestrator.testing.scripted.scripted_anthropic import Failure, Received

SECRET = "sk-ant-api03-of-the-bench-0123456789"


def forward(
    base_url: str, key: str = SECRET, timeout: float = 600.0, trust_env: bool = True
) -> Forward:
    """The gateway's way out to a provider at `base_url`."""
    there = replace(UPSTREAM, base_url=base_url)
    return Forward(there, {"ANTHROPIC_API_KEY": key}, timeout, trust_env)


class AnthropicBench(ModelBench):
    """Give `script` to a ScriptedAnthropic, then set `model` and its list of `received`."""

    model: ChatModel
    received: list[Received]

    def __init__(self) -> None:
        self.secret = SECRET
        self._step: ChatReply | Trouble = "bad_request"

    @override
    def will(self, step: ChatReply | Trouble) -> None:
        self._step = step

    @override
    def heard(self) -> ChatRequest:
        return _understood(self.received[-1].body)

    def script(self, _: Json) -> Json | Failure:
        if isinstance(self._step, ChatReply):
            return _spoken(self._step)
        return TROUBLES[self._step]


def _refusal(status: int, kind: str) -> Failure:
    return Failure(kind="status", status=status, body=say_error(kind, f"no: {SECRET}"))


TROUBLES: dict[Trouble, Failure] = {
    "rate_limited": _refusal(429, "rate_limit_error"),
    "overloaded": _refusal(529, "overloaded_error"),
    "broken": Failure(kind="status", status=502, body=b"<html>bad gateway</html>"),
    "reset": Failure(kind="reset"),
    "cut": Failure(kind="cut"),
    "silent": Failure(kind="hang"),
    "bad_key": _refusal(401, "authentication_error"),
    "unknown_model": _refusal(404, "not_found_error"),
    "bad_request": _refusal(400, "invalid_request_error"),
    "garbage": Failure(kind="garbage"),
    "bad_compression": Failure(kind="garbage", body=b"{}", encoding="gzip"),
    "empty_object": Failure(kind="garbage", body=b"{}"),
}


def _spoken(reply: ChatReply) -> Json:
    content: list[Json] = [{"type": "text", "text": reply.message.text}]
    content += [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments}
        for call in reply.message.tool_calls
    ]
    return {
        "id": "msg_bench",
        "type": "message",
        "role": "assistant",
        "model": "bench",
        "content": content,
        "stop_reason": "max_tokens" if reply.stopped_early else "end_turn",
        "stop_sequence": None,
        "usage": {
            "input_tokens": reply.usage.input_tokens,
            "output_tokens": reply.usage.output_tokens,
        },
    }


def _understood(body: Json) -> ChatRequest:
    tools: list[dict[str, Any]] = body.get("tools", [])
    return ChatRequest(
        model=body["model"],
        system=body.get("system", ""),
        messages=tuple(_message(message) for message in body["messages"]),
        tools=tuple(
            ToolDefinition(
                name=tool["name"], description=tool["description"], schema=tool["input_schema"]
            )
            for tool in tools
        ),
        max_tokens=body["max_tokens"],
    )


def _message(message: Json) -> Message:
    content: list[Json] = message["content"]
    return Message(
        role=message["role"],
        text="".join(block["text"] for block in content if block["type"] == "text"),
        tool_calls=tuple(
            ToolCall(id=block["id"], name=block["name"], arguments=block["input"])
            for block in content
            if block["type"] == "tool_use"
        ),
        tool_results=tuple(
            ToolResult(
                call_id=block["tool_use_id"], content=block["content"], is_error=block["is_error"]
            )
            for block in content
            if block["type"] == "tool_result"
        ),
    )
