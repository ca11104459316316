"""The wrapper that makes a recording of what is answered."""

from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar

from typing_extensions import override

from pm_orchestrator.adapters.gateway.answers import AnswerSource, ModelAnswer, ModelQuestion
from pm_orchestrator.adapters.gateway.cassette import Cassette, Take, TakeKey
from pm_orchestrator.adapters.gateway.normalise import question_digest, question_texts, scrub
from pm_orchestrator.domain.record import Record

R = TypeVar("R", bound=Record)


class RecordMask(Protocol):
    """Takes the secrets out of a record."""

    def __call__(self, record: R, /) -> R: ...


def nothing_masked(record: R, /) -> R:
    """Takes nothing out: for models that are scripts."""
    return record


class KeptTake(Record, frozen=True, kw_only=True):
    """One answer as it is recorded, before there is a cassette."""

    take: Take
    texts: dict[str, str]


Keep = Callable[[KeptTake], Awaitable[None]]


class Recording(AnswerSource):
    """Asks `inner` and keeps every good answer, `masked`; `keep` is awaited before it is given.

    The same question asked again replaces its answer: the conversation went on from
    the later one. Refusals and failures are not kept; a replay has none. What was recorded
    `before`, by the same run, stays.
    """

    def __init__(
        self,
        inner: AnswerSource,
        masked: RecordMask = nothing_masked,
        keep: Keep | None = None,
        before: tuple[KeptTake, ...] = (),
    ) -> None:
        self._inner = inner
        self._masked = masked
        self._keep = keep
        self._takes: dict[TakeKey, Take] = {}
        self._texts: dict[str, str] = {}
        for recorded in before:
            self._add(recorded)

    @property
    def cassette(self) -> Cassette:
        """What was recorded so far, in an order that does not depend on who was faster."""

        def place(take: Take) -> tuple[str, int, str]:
            return (take.agent, take.turn, str(take.digest))

        return Cassette(takes=tuple(sorted(self._takes.values(), key=place)), texts=self._texts)

    @override
    async def answer(self, question: ModelQuestion) -> ModelAnswer:
        answer = await self._inner.answer(question)
        if answer.reply is not None:
            request = self._masked(question.request)
            digest, words = question_digest(request), question_texts(request)
            take = Take(
                agent=scrub(question.agent),
                turn=question.turn,
                digest=digest,
                asked=words.pop("messages"),
                reply=self._masked(answer.reply),
            )
            texts = {getattr(digest, part): text for part, text in words.items()}
            recorded = KeptTake(take=take, texts=texts)
            if self._keep is not None:
                await self._keep(recorded)
            self._add(recorded)
        return answer

    @override
    async def close(self) -> None:
        await self._inner.close()

    def _add(self, recorded: KeptTake) -> None:
        self._takes[recorded.take.key()] = recorded.take
        self._texts |= recorded.texts
