"""The conversation between a worker and its model, until it claims or gives up.

It ends when the model calls `task_complete` or after the allowed number of
turns. Either way what leaves is a claim and a transcript, never a verdict.
"""

from collections.abc import Awaitable, Callable

import msgspec

from pm_orchestrator.agents.tools import COMPLETE_TOOL, TaskComplete, Toolbox
from pm_orchestrator.domain.conversation import (
    ChatRequest,
    Message,
    ToolCall,
    ToolCallRecord,
    ToolResult,
)
from pm_orchestrator.domain.ids import iso
from pm_orchestrator.domain.outcome import ExecutorClaim
from pm_orchestrator.domain.record import Record
from pm_orchestrator.ports.chat_model import ChatModel
from pm_orchestrator.ports.clock import Clock

NUDGE = "Go on with a tool call, or call task_complete when the work is committed."

OnTool = Callable[[int, ToolCall], Awaitable[None]]


class Brief(Record, frozen=True, kw_only=True):
    """What a tool loop is started with."""

    model: str
    system: str
    prompt: str
    max_turns: int


class LoopEnd(Record, frozen=True, kw_only=True):
    """How a conversation ended."""

    claim: ExecutorClaim
    messages: tuple[Message, ...]
    tool_calls: tuple[ToolCallRecord, ...]


class ToolLoop:
    """Runs one conversation over one toolbox."""

    def __init__(self, model: ChatModel, toolbox: Toolbox, clock: Clock, on_tool: OnTool) -> None:
        self._model = model
        self._toolbox = toolbox
        self._clock = clock
        self._on_tool = on_tool

    async def run(self, brief: Brief) -> LoopEnd:
        """Talk until the model claims to be finished or the turns run out."""
        messages = [Message(role="user", text=brief.prompt)]
        records: list[ToolCallRecord] = []
        tokens = 0
        for turn in range(1, brief.max_turns + 1):
            reply = await self._model.chat(
                ChatRequest(
                    model=brief.model,
                    system=brief.system,
                    messages=tuple(messages),
                    tools=self._toolbox.definitions(),
                )
            )
            tokens += reply.usage.input_tokens + reply.usage.output_tokens
            messages.append(reply.message)
            results = [await self._answer(turn, c, records) for c in reply.message.tool_calls]
            claim = _claim(reply.message, results, turn, tokens)
            if claim is not None:
                return LoopEnd(claim=claim, messages=tuple(messages), tool_calls=tuple(records))
            text = "" if results else NUDGE
            messages.append(Message(role="user", text=text, tool_results=tuple(results)))
        gave_up = ExecutorClaim(
            kind="gave_up",
            summary=f"no claim after {brief.max_turns} turns",
            turns=brief.max_turns,
            tokens=tokens,
        )
        return LoopEnd(claim=gave_up, messages=tuple(messages), tool_calls=tuple(records))

    async def _answer(self, turn: int, call: ToolCall, records: list[ToolCallRecord]) -> ToolResult:
        await self._on_tool(turn, call)
        started = self._clock.monotonic()
        stamp = iso(self._clock.now())
        result = await self._toolbox.call(call)
        records.append(
            ToolCallRecord(
                id=call.id,
                name=call.name,
                arguments=call.arguments,
                result=result.content,
                is_error=result.is_error,
                timestamp=stamp,
                duration_ms=int((self._clock.monotonic() - started) * 1000),
            )
        )
        return result


def _claim(
    message: Message, results: list[ToolResult], turn: int, tokens: int
) -> ExecutorClaim | None:
    failed = {r.call_id for r in results if r.is_error}
    for call in message.tool_calls:
        if call.name == COMPLETE_TOOL and call.id not in failed:
            said = msgspec.convert(call.arguments, TaskComplete, strict=True)
            return ExecutorClaim(
                kind="finished",
                summary=said.summary,
                claimed_files=said.files,
                turns=turn,
                tokens=tokens,
            )
    return None
