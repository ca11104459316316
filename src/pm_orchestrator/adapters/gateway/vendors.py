"""Several vendors behind one door: each question goes to that of its model."""

from collections.abc import Mapping

from typing_extensions import override

from pm_orchestrator.adapters.gateway.answers import AnswerSource, ModelAnswer, ModelQuestion


class Vendors(AnswerSource):
    """Asks the source of the adapter that an agent was admitted with."""

    def __init__(self, sources: Mapping[str, AnswerSource]) -> None:
        self._sources = sources

    @override
    async def answer(self, question: ModelQuestion) -> ModelAnswer:
        return await self._sources[question.adapter].answer(question)

    @override
    async def close(self) -> None:
        for source in self._sources.values():
            await source.close()
