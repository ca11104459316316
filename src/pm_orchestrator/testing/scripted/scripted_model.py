"""A chat model that follows a script: replies and failures in order."""

from collections.abc import Iterable

from typing_extensions import override

from pm_orchestrator.domain.company.model_conversation import ChatReply, ChatRequest
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.record import from_json, to_json
from pm_orchestrator.ports.chat_model import ChatModel


class ScriptedModel(ChatModel):
    """Plays `steps`; a call too many is an AssertionError, because a test forgot it.

    What it is asked and what it replies goes through JSON once, so that a value that
    could not be sent to a real model does not pass here either.
    """

    def __init__(self, steps: Iterable[ChatReply | PmError]) -> None:
        self._steps = list(steps)
        self.asked: list[ChatRequest] = []

    @property
    def left(self) -> int:
        return len(self._steps)

    @override
    async def chat(self, request: ChatRequest) -> ChatReply:
        self.asked.append(from_json(ChatRequest, to_json(request)))
        if not self._steps:
            raise AssertionError(f"the script ended before call {len(self.asked)}")
        step = self._steps.pop(0)
        if isinstance(step, PmError):
            raise step
        return from_json(ChatReply, to_json(step))
