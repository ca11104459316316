"""Answers from a recording, and the wrapper that makes one."""

from typing_extensions import override

from pm_orchestrator.adapters.gateway.answers import (
    AnswerSource,
    ModelAnswer,
    ModelQuestion,
    answer_in_form,
)
from pm_orchestrator.adapters.gateway.cassette import Cassette, Take, TakeKey
from pm_orchestrator.adapters.gateway.normalise import (
    RequestDigest,
    differing,
    question_digest,
    scrub,
)
from pm_orchestrator.domain.errors import PmError


class Replay(AnswerSource):
    """Answers from a cassette and from nowhere else; there is no network to fall back on."""

    def __init__(self, cassette: Cassette) -> None:
        self._takes: dict[str, dict[int, list[Take]]] = {}
        for take in cassette.takes:
            turns = self._takes.setdefault(scrub(take.agent), {})
            turns.setdefault(take.turn, []).append(take)

    @override
    async def answer(self, question: ModelQuestion) -> ModelAnswer:
        asked = question_digest(question.request)
        takes = self._takes_for(question)
        for wanted in (asked, None):
            for take in takes:
                if take.digest == wanted:
                    return answer_in_form(take.reply, question)
        raise _mismatch(question, _difference(takes, asked))

    @override
    async def close(self) -> None:
        """Nothing is held."""

    def _takes_for(self, question: ModelQuestion) -> list[Take]:
        turns = self._takes.get(scrub(question.agent))
        if turns is None:
            known = ", ".join(sorted(self._takes)) or "nobody"
            raise _mismatch(question, f"it holds answers for {known} only")
        if question.turn not in turns:
            raise _mismatch(question, f"the recording of this agent ends at turn {max(turns)}")
        return turns[question.turn]


class Recording(AnswerSource):
    """Asks `inner` and keeps every good answer.

    The same question asked again replaces its answer: the conversation went on from
    the later one. Refusals and failures are not kept; a replay has none.
    """

    def __init__(self, inner: AnswerSource) -> None:
        self._inner = inner
        self._takes: dict[TakeKey, Take] = {}

    @property
    def cassette(self) -> Cassette:
        """What was recorded so far, in an order that does not depend on who was faster."""

        def place(take: Take) -> tuple[str, int, str]:
            return (take.agent, take.turn, str(take.digest))

        return Cassette(takes=tuple(sorted(self._takes.values(), key=place)))

    @override
    async def answer(self, question: ModelQuestion) -> ModelAnswer:
        answer = await self._inner.answer(question)
        if answer.reply is not None:
            take = Take(
                agent=scrub(question.agent),
                turn=question.turn,
                digest=question_digest(question.request),
                reply=answer.reply,
            )
            self._takes[take.key()] = take
        return answer

    @override
    async def close(self) -> None:
        await self._inner.close()


def _mismatch(question: ModelQuestion, reason: str) -> PmError:
    return PmError("cassette_mismatch", agent=question.agent, turn=question.turn, reason=reason)


def _difference(takes: list[Take], asked: RequestDigest) -> str:
    """Names the parts that differ from the recording that comes nearest."""
    nearest = min(
        (differing(take.digest, asked) for take in takes if take.digest is not None), key=len
    )
    return f"the request differs from the recorded one in its {' and '.join(nearest)}"
