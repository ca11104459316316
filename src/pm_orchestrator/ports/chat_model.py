"""One model API."""

from typing import Protocol

from pm_orchestrator.domain.company.conversation import ChatReply, ChatRequest


class ChatModel(Protocol):
    """Answers one request.

    Raises:
        RetryableError: E601 for a busy, lost or slow provider.
        PmError: E602 when the provider refuses the request (key, model, schema),
            E603 when its answer cannot be understood.
    """

    async def chat(self, request: ChatRequest) -> ChatReply: ...
