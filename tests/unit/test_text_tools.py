"""A model without tool calls of its own calls tools in words."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from pm_orchestrator.bootstrap.traffic.toolless_models import ToollessMemory
from pm_orchestrator.dispatch.text_tools import TextTools, in_words
from pm_orchestrator.domain.company.model_conversation import (
    ChatReply,
    ChatRequest,
    Message,
    TokenUsage,
    ToolCall,
    ToolDefinition,
    ToolResult,
)
from pm_orchestrator.domain.errors import PmError, RetryableError
from pm_orchestrator.testing.memory.memory_files import MemoryFiles
from pm_orchestrator.testing.scripted.scripted_model import ScriptedModel

READ = ToolDefinition(
    name="read_file",
    description="Reads a file.",
    schema={"type": "object", "properties": {"path": {"type": "string"}}},
)
ASK = ChatRequest(
    model="tiny", system="Be brief.", messages=(Message(role="user", text="go"),), tools=(READ,)
)
REFUSED = PmError("model_refused", reason="HTTP 400: registry.example/tiny does not support tools")
CALL = '{"tool": "read_file", "arguments": {"path": "a.py"}}'


def says(text: str, *calls: ToolCall) -> ChatReply:
    message = Message(role="assistant", text=text, tool_calls=calls)
    return ChatReply(message=message, usage=TokenUsage(input_tokens=1, output_tokens=2))


class Talk:
    """A model that follows a script, and what is remembered of it."""

    def __init__(self, *steps: ChatReply | PmError, lacking: tuple[str, ...] = ()) -> None:
        self.inner = ScriptedModel(steps)
        self.lacking = [*lacking]
        self.model = TextTools(self.inner, self.lacking.__contains__, self._note)

    async def _note(self, name: str) -> None:
        self.lacking.append(name)

    async def calls(self, request: ChatRequest = ASK) -> list[tuple[str, object]]:
        reply = await self.model.chat(request)
        return [(call.name, call.arguments) for call in reply.message.tool_calls]


READS = [("read_file", {"path": "a.py"})]


async def test_a_model_that_refuses_tools_is_asked_in_words_and_remembered() -> None:
    talk = Talk(REFUSED, says(CALL), says(CALL))
    assert await talk.calls() == READS
    assert talk.lacking == ["tiny"]
    assert await talk.calls() == READS
    native, first, second = talk.inner.asked
    assert native.tools == (READ,)
    assert first == second == in_words(ASK)
    assert first.tools == ()
    assert first.system.startswith("Be brief.\n\nYou work by calling tools.")
    assert "- read_file: Reads a file." in first.system


async def test_a_model_with_tools_is_left_alone() -> None:
    call = ToolCall(id="c", name="read_file", arguments={})
    for reply in (says("I look.", call), says("I am done."), says(f"Say {CALL} to read.")):
        talk = Talk(reply)
        assert await talk.model.chat(ASK) == reply
        assert talk.lacking == []
        assert talk.inner.asked == [ASK]


async def test_a_question_without_tools_goes_as_it_is() -> None:
    plain = replace(ASK, tools=())
    talk = Talk(says(CALL), lacking=("tiny",))
    assert (await talk.model.chat(plain)).message.text == CALL
    assert talk.inner.asked == [plain]


@pytest.mark.parametrize("text", [CALL, f"[{CALL}]", f"```json\n{CALL}\n```", f" {CALL}\n"])
async def test_a_call_said_in_words_unasked_is_one_if_it_is_nothing_else(text: str) -> None:
    """Servers that pass tools over silently have models that write their calls down."""
    talk = Talk(says(text))
    assert await talk.calls() == READS
    assert talk.lacking == ["tiny"]


@pytest.mark.parametrize(
    "text",
    [
        CALL,
        f"I read it.\n\n{CALL}\n\nThen I go on.",
        f"Here:\n```json\n{CALL}\n```\nand so on",
        '{"name": "read_file", "parameters": {"path": "a.py"}}',
    ],
)
async def test_a_call_is_found_among_words_where_it_was_asked_for(text: str) -> None:
    assert await Talk(says(text), lacking=("tiny",)).calls() == READS


async def test_several_calls_have_ids_of_their_own() -> None:
    talk = Talk(says(f'[{CALL}, {{"tool": "no_such", "arguments": {{}}}}]'), lacking=("tiny",))
    reply = await talk.model.chat(ASK)
    calls = reply.message.tool_calls
    # An unknown tool is the loop's to refuse.
    assert [call.name for call in calls] == ["read_file", "no_such"]
    assert len({call.id for call in calls}) == 2


@pytest.mark.parametrize(
    "text",
    [
        *("", "I am done.", "{", "[1]", "[" * 50_000),
        *('{"tool": 1}', '{"tool": "read_file", "arguments": "a"}', '{"x": "read_file"}'),
    ],
)
async def test_what_is_no_call_stays_words(text: str) -> None:
    reply = says(text)
    assert await Talk(reply, lacking=("tiny",)).model.chat(ASK) == reply


async def test_what_was_called_and_answered_is_told_in_words() -> None:
    calls = (
        ToolCall(id="1", name="read_file", arguments={"path": "a.py"}),
        ToolCall(id="2", name="read_file", arguments={"path": "b.py"}),
    )
    results = (
        ToolResult(call_id="1", content="x = 1"),
        ToolResult(call_id="2", content="no such file", is_error=True),
    )
    told = in_words(
        replace(
            ASK,
            messages=(
                *ASK.messages,
                Message(role="assistant", text="I look.", tool_calls=calls),
                Message(role="user", text="Two turns left.", tool_results=results),
            ),
        )
    )
    assert [message.text for message in told.messages] == [
        "go",
        'I look.\n\n[{"arguments":{"path":"a.py"},"tool":"read_file"},'
        '{"arguments":{"path":"b.py"},"tool":"read_file"}]',
        "Result of read_file:\nx = 1\n\nResult of read_file (it failed):\nno such file\n\n"
        "Two turns left.",
    ]
    assert not any(message.tool_calls or message.tool_results for message in told.messages)


@pytest.mark.parametrize(
    "error",
    [
        PmError("model_refused", reason="HTTP 401: who are you?"),
        PmError("model_refused", reason="HTTP 404: there is no model tiny"),
        RetryableError("model_unavailable", reason="no answer"),
    ],
)
async def test_another_failure_is_no_reason_to_use_words(error: PmError) -> None:
    talk = Talk(error)
    with pytest.raises(PmError) as caught:
        await talk.model.chat(ASK)
    assert caught.value is error
    assert talk.lacking == []


async def test_who_refuses_in_words_too_refused_for_another_reason() -> None:
    talk = Talk(REFUSED, PmError("model_refused", reason="HTTP 400: no"))
    with pytest.raises(PmError) as caught:
        await talk.model.chat(ASK)
    assert caught.value is REFUSED
    assert talk.lacking == []


async def test_it_is_remembered_from_run_to_run() -> None:
    files, state = MemoryFiles(), Path("/state")
    memory = ToollessMemory(files, state)
    assert not memory.lacks("ollama", "tiny")
    await memory.note("ollama", "tiny")
    await memory.note("ollama", "small")
    again = ToollessMemory(files, state)
    assert again.lacks("ollama", "tiny")
    assert again.lacks("ollama", "small")
    assert not again.lacks("openai", "tiny")
    await files.replace(state / "toolless-models.json", b"{")
    assert not again.lacks("ollama", "tiny")
