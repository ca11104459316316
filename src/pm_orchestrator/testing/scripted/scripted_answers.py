"""A source of answers that follows a script, for tests and for making recordings."""

from collections.abc import Callable

from typing_extensions import override

from pm_orchestrator.adapters.gateway.answers import (
    AnswerSource,
    ModelAnswer,
    ModelQuestion,
    answer_in_form,
)
from pm_orchestrator.adapters.models.anthropic import AnthropicMessages
from pm_orchestrator.domain.company.model_conversation import ChatRequest
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.ports.dialect import Json

Script = Callable[[str, int, ChatRequest], Json | None]
"""Agent, turn and request; None where the script has nothing to say.

What it says is written as Anthropic writes it, and said in the dialect of whoever asks.
"""


class ScriptedAnswers(AnswerSource):
    """Says what `script` says, and complains (E605) where it has no answer."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self.asked: list[ModelQuestion] = []
        self.closed = False

    @override
    async def answer(self, question: ModelQuestion) -> ModelAnswer:
        self.asked.append(question)
        message = self._script(question.agent, question.turn, question.request)
        if message is None:
            raise PmError(
                "cassette_mismatch",
                agent=question.agent,
                turn=question.turn,
                reason="the script has no answer here",
            )
        return answer_in_form(AnthropicMessages().read_answer(message), question)

    @override
    async def close(self) -> None:
        self.closed = True
