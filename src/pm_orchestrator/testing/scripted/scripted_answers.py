"""A source of answers that follows a script, for tests and for making recordings."""

from collections.abc import Callable

from typing_extensions import override

from pm_orchestrator.adapters.gateway.answers import (
    AnswerSource,
    ModelAnswer,
    ModelQuestion,
    answer_in_form,
)
from pm_orchestrator.adapters.gateway.wire import Json, MessagesRequest
from pm_orchestrator.domain.errors import PmError

Script = Callable[[str, int, MessagesRequest], Json | None]
"""Agent, turn and request; None where the script has nothing to say."""


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
        return answer_in_form(message, question)

    @override
    async def close(self) -> None:
        self.closed = True
