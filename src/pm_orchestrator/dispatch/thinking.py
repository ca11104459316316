"""How many may think at the same time: one exchange with a model takes one slot."""

from typing_extensions import override

from pm_orchestrator.dispatch.slots import Slots
from pm_orchestrator.domain.company.model_conversation import ChatReply, ChatRequest
from pm_orchestrator.ports.chat_model import ChatModel


class WaitingModel(ChatModel):
    """Asks `inner` as soon as one of `slots` is free; those who waited longer come first.

    It waits before the question is sent, so that no time limit of the exchange runs meanwhile.
    """

    def __init__(self, inner: ChatModel, slots: Slots) -> None:
        self._inner = inner
        self._slots = slots

    @override
    async def chat(self, request: ChatRequest) -> ChatReply:
        async with self._slots.one():
            return await self._inner.chat(request)
