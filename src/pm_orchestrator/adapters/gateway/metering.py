"""Questions are granted before they are asked, and counted when they are answered."""

import asyncio
from typing import Any, cast

import msgspec
from typing_extensions import override

from pm_orchestrator.adapters.gateway.answers import AnswerSource, ModelAnswer, ModelQuestion
from pm_orchestrator.domain.company.model_conversation import TokenUsage
from pm_orchestrator.domain.company.spending import believed, tokens_at_most
from pm_orchestrator.domain.record import to_json
from pm_orchestrator.ports.call_meter import CallMeter, ModelCall
from pm_orchestrator.ports.dialect import Json

LONGEST_UNSAID = 32_000
"""Tokens of an answer for which a client names no limit; then we do."""


class Metered(AnswerSource):
    """Asks `inner` what `meter` grants.

    An answer may be granted less room than was asked for. What breaks off on its way was said
    all the same, and counts as what it must have been.
    """

    def __init__(self, inner: AnswerSource, meter: CallMeter) -> None:
        self._inner = inner
        self._meter = meter

    @override
    async def answer(self, question: ModelQuestion) -> ModelAnswer:
        asked = tokens_at_most(question.body)
        wanted = _room(question)
        granted = await self._meter.grant(
            ModelCall(
                agent=question.agent,
                adapter=question.adapter,
                model=question.request.model,
                input_tokens=asked,
                output_tokens=LONGEST_UNSAID if wanted is None else wanted,
            )
        )
        if self._meter.limits_answers and granted.output_tokens != wanted:
            question = _limited(question, granted.output_tokens)
        heard, question = _listening(question)
        used: TokenUsage | None = None
        try:
            answer = await self._inner.answer(question)
            if answer.reply is not None:
                said = tokens_at_most(to_json(answer.reply.message))
                used = believed(answer.reply.usage, asked, said)
                answer = msgspec.structs.replace(answer, used=used)
        except asyncio.CancelledError:
            # The vendor has it, and stops when nobody listens any more.
            heard.append(0)
            raise
        finally:
            if used is None and heard:
                used = TokenUsage(input_tokens=asked, output_tokens=sum(heard), estimated=True)
            self._meter.settle(granted, used)
        return answer

    @override
    async def close(self) -> None:
        await self._inner.close()


def _listening(question: ModelQuestion) -> tuple[list[int], ModelQuestion]:
    """The same question, and how much of its answer went by, piece by piece."""
    heard: list[int] = []
    pass_on = question.pass_on
    if pass_on is None:
        return heard, question

    async def hear(frame: bytes) -> None:
        heard.append(tokens_at_most(frame))
        await pass_on(frame)

    return heard, msgspec.structs.replace(question, pass_on=hear)


def _room(question: ModelQuestion) -> int | None:
    """What the request itself says that its answer may have."""
    body = msgspec.json.decode(question.body, type=Json)
    for name in question.dialect.room:
        place: Any = body
        for part in name.split("."):
            place = cast("Json", place).get(part) if isinstance(place, dict) else None
        if isinstance(place, int) and place > 0:
            return place
    return None


def _limited(question: ModelQuestion, tokens: int) -> ModelQuestion:
    """The same question for an answer of so many tokens."""
    body = msgspec.json.decode(question.body, type=Json)
    names = question.dialect.room
    used = next((name for name in names if name in body), names[0])
    *outer, last = used.split(".")
    place = body
    for part in outer:
        inner = place.get(part)
        place[part] = place = cast("Json", inner) if isinstance(inner, dict) else {}
    place[last] = tokens
    return msgspec.structs.replace(question, body=msgspec.json.encode(body))
