"""Where answers come from: a recording, a provider, or a script; all behind one door."""

from collections.abc import Awaitable, Callable
from typing import Protocol

import msgspec

from pm_orchestrator.domain.company.model_conversation import ChatReply, ChatRequest, TokenUsage
from pm_orchestrator.domain.record import to_json
from pm_orchestrator.ports.dialect import Dialect, Inquiry

JSON_TYPE = "application/json"
PassOn = Callable[[bytes], Awaitable[None]]


class ModelQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """One admitted request of an agent."""

    agent: str
    adapter: str = ""
    """Which model adapter the agent was admitted with; empty where only one is asked."""
    dialect: Dialect
    asked: Inquiry
    body: bytes
    path: str
    headers: dict[str, str] = {}
    """Only those that are part of the protocol; never a credential."""
    query: str = ""
    pass_on: PassOn | None = None
    """Hears the beginning of an answer while it comes; None where nobody waits for it."""

    @property
    def request(self) -> ChatRequest:
        return self.asked.request

    @property
    def turn(self) -> int:
        return self.asked.turn


class ModelAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What goes back to the agent."""

    status: int
    body: bytes
    content_type: str = JSON_TYPE
    headers: dict[str, str] = {}
    reply: ChatReply | None = None
    """What the model said, when `body` carries it whole."""
    used: TokenUsage | None = None
    """What it came to by our count, where somebody counts."""
    passed_on: int = 0
    """How many bytes of `body` the agent has already."""

    def usage(self) -> TokenUsage:
        """Nothing was used where there is no reply."""
        if self.used is not None:
            return self.used
        return TokenUsage() if self.reply is None else self.reply.usage


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


def answer_in_form(reply: ChatReply, question: ModelQuestion) -> ModelAnswer:
    """Say `reply` in the dialect of the question, as a stream where one was asked for."""
    dialect = question.dialect
    answer = dialect.write_answer(reply, question.request.model)
    if not question.asked.stream:
        return ModelAnswer(status=200, body=to_json(answer), reply=reply)
    return ModelAnswer(
        status=200,
        body=b"".join(dialect.write_stream(answer)),
        content_type=dialect.stream_type,
        reply=reply,
    )
