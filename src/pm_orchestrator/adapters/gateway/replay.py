"""Answers from a recording."""

from collections.abc import Mapping

from typing_extensions import override

from pm_orchestrator.adapters.gateway.answers import (
    AnswerSource,
    ModelAnswer,
    ModelQuestion,
    answer_in_form,
)
from pm_orchestrator.adapters.gateway.cassette import Cassette, Take
from pm_orchestrator.adapters.gateway.difference import nearest_take, shown_difference
from pm_orchestrator.adapters.gateway.normalise import (
    RequestDigest,
    differing,
    question_digest,
    question_texts,
    scrub,
)
from pm_orchestrator.adapters.gateway.recording import RecordMask, nothing_masked
from pm_orchestrator.domain.company.model_conversation import ChatRequest
from pm_orchestrator.domain.errors import PmError


class Replay(AnswerSource):
    """Answers from a cassette and from nowhere else; there is no network to fall back on.

    What is asked is `masked` before it is compared, as it was before it was recorded.
    """

    def __init__(self, cassette: Cassette, masked: RecordMask = nothing_masked) -> None:
        self._masked = masked
        self._texts = cassette.texts
        self._takes: dict[str, dict[int, list[Take]]] = {}
        for take in cassette.takes:
            turns = self._takes.setdefault(scrub(take.agent), {})
            turns.setdefault(take.turn, []).append(take)

    @override
    async def answer(self, question: ModelQuestion) -> ModelAnswer:
        request = self._masked(question.request)
        asked = question_digest(request)
        takes = self._takes_for(question)
        for wanted in (asked, None):
            for take in takes:
                if take.digest == wanted:
                    return answer_in_form(take.reply, question)
        raise _differs(question, request, takes, self._texts)

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


def _mismatch(question: ModelQuestion, reason: str) -> PmError:
    return PmError("cassette_mismatch", agent=question.agent, turn=question.turn, reason=reason)


def _differs(
    question: ModelQuestion, request: ChatRequest, takes: list[Take], texts: Mapping[str, str]
) -> PmError:
    """Names the parts that differ from the recording that comes nearest, and shows how."""
    asked, words = question_digest(request), question_texts(request)
    nearest = nearest_take(takes, asked, words["messages"])
    # Of several answers for one turn none fits any request, or it would have been given.
    recorded = asked if nearest is None or nearest.digest is None else nearest.digest
    parts = differing(recorded, asked)
    known = _known(recorded, texts) | {"messages": nearest and (nearest.asked or None)}
    reason = f"the request differs from the recorded one in its {' and '.join(parts)}"
    return _mismatch(question, reason + shown_difference(known, words, parts))


def _known(digest: RequestDigest, texts: Mapping[str, str]) -> dict[str, str | None]:
    return {part: texts.get(getattr(digest, part)) for part in ("model", "tools", "system")}
