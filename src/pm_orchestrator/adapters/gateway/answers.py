"""Where answers come from: a recording, a provider, or a script; all behind one door."""

from typing import Protocol

import msgspec

from pm_orchestrator.adapters.gateway.sse import to_events
from pm_orchestrator.adapters.gateway.wire import Json, MessagesRequest, check_message
from pm_orchestrator.domain.company.model_conversation import TokenUsage

JSON_TYPE = "application/json"
STREAM_TYPE = "text/event-stream"


class ModelQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """One admitted request of an agent."""

    agent: str
    adapter: str = ""
    """Which model adapter the agent was admitted with; empty where only one is asked."""
    turn: int
    request: MessagesRequest
    body: bytes
    headers: dict[str, str] = {}
    """Only those that are part of the protocol; never a credential."""
    query: str = ""


class ModelAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What goes back to the agent."""

    status: int
    body: bytes
    content_type: str = JSON_TYPE
    headers: dict[str, str] = {}
    message: Json | None = None
    """The whole message, when `body` carries one."""

    def usage(self) -> TokenUsage:
        """Nothing was used where there is no message."""
        return TokenUsage() if self.message is None else check_message(self.message).usage.total()


class AnswerSource(Protocol):
    """Answers questions; wrappers add recording.

    Raises:
        RetryableError: E601, the provider cannot be reached now.
        PmError: E605, a recording does not hold this question.
    """

    async def answer(self, question: ModelQuestion) -> ModelAnswer: ...

    async def close(self) -> None:
        """Give back connections; nothing is asked afterwards."""
        ...


def answer_in_form(message: Json, question: ModelQuestion) -> ModelAnswer:
    """Answer with `message`, as a stream where one was asked for."""
    if question.request.stream:
        return ModelAnswer(
            status=200, body=to_events(message), content_type=STREAM_TYPE, message=message
        )
    return ModelAnswer(status=200, body=msgspec.json.encode(message), message=message)
