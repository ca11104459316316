"""A model that is overheard: its words and calls are passed on as they come, and counted."""

from collections.abc import Callable, Iterator

from typing_extensions import override

from pm_orchestrator.agents.tools.tool_calls import COMPLETE_TOOL, target_of
from pm_orchestrator.domain.company.model_conversation import (
    ChatReply,
    ChatRequest,
    Message,
    TokenUsage,
)
from pm_orchestrator.domain.history.heard import Heard, Said, ToolFailed, Used
from pm_orchestrator.ports.chat_model import ChatModel

LONGEST_PIECE = 20_000
"""Characters; what is shown is less, but it is masked before it is cut."""


class HeardModel(ChatModel):
    """Asks `inner`; `told` hears what was said since it was told last."""

    def __init__(self, inner: ChatModel, told: Callable[[tuple[Heard, ...]], None]) -> None:
        self._inner = inner
        self._told = told
        self.usage = TokenUsage()
        """Of all answers so far."""

    @override
    async def chat(self, request: ChatRequest) -> ChatReply:
        self._tell(_failures(request.messages))
        reply = await self._inner.chat(request)
        self.usage = TokenUsage(
            input_tokens=self.usage.input_tokens + reply.usage.input_tokens,
            output_tokens=self.usage.output_tokens + reply.usage.output_tokens,
        )
        self._tell(_pieces(reply.message))
        return reply

    def _tell(self, pieces: Iterator[Heard]) -> None:
        if heard := tuple(pieces):
            self._told(heard)


def _pieces(said: Message) -> Iterator[Heard]:
    if text := said.text.strip():
        yield Said(text=text[:LONGEST_PIECE])
    for call in said.tool_calls:
        # Its last word is told once, beside the verdict.
        if call.name != COMPLETE_TOOL:
            yield Used(tool=call.name[:LONGEST_PIECE], target=target_of(call)[:LONGEST_PIECE])


def _failures(messages: tuple[Message, ...]) -> Iterator[Heard]:
    """Calls of the turn before that came to nothing."""
    if len(messages) < 2:
        return
    names = {call.id: call.name for call in messages[-2].tool_calls}
    for result in messages[-1].tool_results:
        if result.is_error:
            why = " ".join(result.content[:LONGEST_PIECE].split())
            yield ToolFailed(tool=names.get(result.call_id, "tool"), why=why)
