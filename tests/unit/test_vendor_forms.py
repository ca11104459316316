"""What differs from vendor to vendor beyond the conversation: reasoning, refusals, addresses."""

from typing import Any

import pytest
from msgspec.structs import replace

from pm_orchestrator.adapters.models.anthropic import AnthropicMessages
from pm_orchestrator.adapters.models.gemini import GeminiContent
from pm_orchestrator.adapters.models.ollama import OllamaChat, OllamaModels
from pm_orchestrator.adapters.models.openai import OpenAIChat, OpenAIModels
from pm_orchestrator.adapters.models.openai_responses import OpenAIResponses
from pm_orchestrator.domain.company.model_conversation import (
    ChatRequest,
    Message,
    ToolCall,
    ToolResult,
)
from pm_orchestrator.ports.dialect import Dialect, Json

Parts = list[Json]
THOUGHT: Parts = [
    {"type": "thinking", "thinking": "hm", "signature": "opaque"},
    {"type": "text", "text": "I look."},
    {"type": "tool_use", "id": "c1", "name": "read", "input": {}},
]
SIGNED: Parts = [
    {"text": "hm", "thought": True},
    {"text": "I look."},
    {"functionCall": {"id": "c1", "name": "read", "args": {}}, "thoughtSignature": "opaque"},
]
ENCRYPTED: Parts = [
    {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "opaque"},
    {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "output_text", "text": "I look."}],
    },
    {"type": "function_call", "call_id": "c1", "name": "read", "arguments": "{}"},
]
USAGE: Json = {"input_tokens": 1, "output_tokens": 1}
CASES: list[tuple[Dialect, Parts, Json]] = [
    (
        AnthropicMessages(),
        THOUGHT,
        {
            "type": "message",
            "role": "assistant",
            "content": THOUGHT,
            "stop_reason": "tool_use",
            "usage": USAGE,
        },
    ),
    (
        GeminiContent(),
        SIGNED,
        {"candidates": [{"content": {"role": "model", "parts": SIGNED}, "finishReason": "STOP"}]},
    ),
    (OpenAIResponses(), ENCRYPTED, {"status": "completed", "output": ENCRYPTED}),
]
EVERY = [AnthropicMessages(), OpenAIChat(), OpenAIResponses(), GeminiContent(), OllamaChat()]


def said_again(dialect: Dialect, message: Message) -> str:
    """The request that sends `message` back, as text."""
    answered = Message(role="user", tool_results=(ToolResult(call_id="c1", content="x"),))
    asked = Message(role="user", text="go")
    body: Any = dialect.write_request(
        ChatRequest(model="m", system="", messages=(asked, message, answered))
    )
    return str(body)


@pytest.mark.parametrize(
    ("dialect", "parts", "answer"), CASES, ids=lambda c: getattr(c, "name", "")
)
def test_it_goes_back_as_it_came(dialect: Dialect, parts: Parts, answer: Json) -> None:
    message = dialect.read_answer(answer).message
    assert message.text == "I look."
    assert message.tool_calls == (ToolCall(id="c1", name="read", arguments={}),)
    again = said_again(dialect, message)
    assert all(str(part) in again for part in parts)
    for other in EVERY:
        if other.name != dialect.name:
            plain = replace(message, verbatim=None)
            assert said_again(other, message) == said_again(other, plain)
            assert "opaque" not in said_again(other, message)


def test_calls_of_another_vendor_carry_the_word_that_gemini_wants_for_them() -> None:
    message = Message(role="assistant", tool_calls=(ToolCall(id="c1", name="read", arguments={}),))
    assert "skip_thought_signature_validator" in said_again(GeminiContent(), message)


def test_two_calls_of_one_id_are_told_apart_and_broken_arguments_reach_the_tool() -> None:
    calls = [
        {"id": "same", "function": {"name": "read", "arguments": "{}"}},
        {"id": "same", "function": {"name": "read", "arguments": "{oops"}},
        {"function": {"name": "read", "arguments": ""}},
    ]
    choice = {"message": {"role": "assistant", "tool_calls": calls}, "finish_reason": "tool_calls"}
    first, second, third = OpenAIChat().read_answer({"choices": [choice]}).message.tool_calls
    assert len({first.id, second.id, third.id}) == 3
    assert first.arguments == third.arguments == {}
    assert second.arguments == {"unreadable_arguments": "{oops"}


@pytest.mark.parametrize(
    ("answer", "dialect"),
    [
        ({"promptFeedback": {"blockReason": "SAFETY"}}, GeminiContent()),
        ({"candidates": [{"finishReason": "SAFETY"}]}, GeminiContent()),
        (
            {
                "status": "incomplete",
                "output": [],
                "incomplete_details": {"reason": "content_filter"},
            },
            OpenAIResponses(),
        ),
        (
            {
                "status": "completed",
                "output": [{"type": "message", "content": [{"type": "refusal", "refusal": "no"}]}],
            },
            OpenAIResponses(),
        ),
        (
            {"choices": [{"message": {"role": "assistant"}, "finish_reason": "content_filter"}]},
            OpenAIChat(),
        ),
    ],
)
def test_what_a_vendor_will_not_answer_is_declined(answer: Json, dialect: Dialect) -> None:
    assert dialect.read_answer(answer).declined


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        (None, "https://api.openai.com/v1/chat/completions"),
        (
            "https://company.invalid/openai/v1/",
            "https://company.invalid/openai/v1/chat/completions",
        ),
        ("https://company.invalid/ai", "https://company.invalid/ai/chat/completions"),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080/v1/chat/completions"),
    ],
)
def test_a_compatible_server_is_asked_where_its_users_expect(given: str | None, asked: str) -> None:
    variables = {} if given is None else {"OPENAI_BASE_URL": given}
    assert OpenAIModels().upstream.url(variables, "/v1/chat/completions") == asked


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        (None, "http://127.0.0.1:11434/api/chat"),
        ("0.0.0.0", "http://127.0.0.1:11434/api/chat"),
        ("box:99", "http://box:99/api/chat"),
        ("[::1]", "http://[::1]:11434/api/chat"),
        ("https://box.invalid", "https://box.invalid/api/chat"),
    ],
)
def test_the_host_of_ollama_may_be_written_short(given: str | None, asked: str) -> None:
    variables = {} if given is None else {"OLLAMA_HOST": given}
    assert OllamaModels().upstream.url(variables, "/api/chat") == asked
