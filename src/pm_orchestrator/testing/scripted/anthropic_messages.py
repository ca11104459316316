"""Answers in the form Anthropic gives them, for scripts and hand-written recordings."""

from typing import Any

Json = dict[str, Any]


def say_text(text: str, **parts: Any) -> Json:
    """A message of plain text; `parts` replace whole fields."""
    return _message([{"type": "text", "text": text}], "end_turn") | parts


def call_tools(*calls: tuple[str, Json], text: str = "", turn: int = 1) -> Json:
    """A message that calls tools, in order; `turn` keeps the ids of a conversation apart."""
    content: list[Json] = [{"type": "text", "text": text}] if text else []
    content += [
        {"type": "tool_use", "id": f"toolu_{turn:03d}_{index}", "name": name, "input": arguments}
        for index, (name, arguments) in enumerate(calls, start=1)
    ]
    return _message(content, "tool_use")


def say_error(kind: str, message: str) -> Json:
    """The body of a refusal or failure."""
    return {"type": "error", "error": {"type": kind, "message": message}}


def _message(content: list[Json], stop_reason: str) -> Json:
    return {
        "id": "msg_scripted",
        "type": "message",
        "role": "assistant",
        "model": "scripted",
        "content": content,
        "stop_reason": stop_reason,
        "stop_sequence": None,
        "usage": {"input_tokens": 100, "output_tokens": 20},
    }
