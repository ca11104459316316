"""Patience with model providers: trying again, and trying another.

Both are wrappers around the ChatModel port, so they combine:
`FallbackModel(RetryingModel(a), RetryingModel(b))` is patient with each before it
gives up on both.
"""

from collections.abc import Awaitable, Callable

import msgspec
from typing_extensions import override

from pm_orchestrator.domain.company.model_conversation import ChatReply, ChatRequest
from pm_orchestrator.domain.errors import PmError, RetryableError
from pm_orchestrator.ports.chat_model import ChatModel
from pm_orchestrator.ports.clock import Clock

DELAYS = (1.0, 2.0, 4.0)
BUSY = "model_busy"
UNASKED = (8.0, 15.0, 30.0, 60.0)
"""For a busy vendor that does not say how long; the last one again and again."""
SHORTEST = 0.5
"""A vendor that says "at once" and is still busy must not be asked without pause."""
AGAIN_S = 600.0
"""After so long a vendor that failed is asked again."""
ToldWait = Callable[[float, str], Awaitable[None]]
"""Hears for how many seconds a question is parked, and why."""

PROVIDER_FAILURES = frozenset({"E601", "E602", "E603"})
"""What another provider may do better; a recording that does not fit, or evidence that
cannot be written, is nobody's provider's fault."""


class RetryingModel(ChatModel):
    """Asks again after 1, 2 and 4 seconds, then reports the last failure.

    A vendor that has too much to do is no failure: its question is parked for as long as it
    says, and costs no try. `told` hears of each wait. Together the waits of one question do
    not exceed `longest` seconds; who is told to wait beyond that is not waited for at all.
    """

    def __init__(
        self, inner: ChatModel, clock: Clock, longest: float = 0.0, told: ToldWait | None = None
    ) -> None:
        self._inner = inner
        self._clock = clock
        self._longest = longest
        self._told = told

    @override
    async def chat(self, request: ChatRequest) -> ChatReply:
        tries, parked = iter(DELAYS), _Parked(self._longest)
        while True:
            try:
                return await self._inner.chat(request)
            except RetryableError as error:
                wait = parked.seconds(error) if error.slug == BUSY else next(tries, None)
                if wait is None:
                    raise
                if error.slug == BUSY and self._told is not None:
                    await self._told(wait, str(error.params["reason"]))
            await self._clock.sleep(wait)


class _Parked:
    """How long a busy vendor is waited for, and how much of that is left."""

    def __init__(self, left: float) -> None:
        self._left = left
        self._unasked = iter((*DELAYS, *UNASKED))

    def seconds(self, error: RetryableError) -> float | None:
        """The next wait; None where it exceeds what is left."""
        said = str(error.params["seconds"])
        wait = max(float(said), SHORTEST) if said else next(self._unasked, UNASKED[-1])
        if wait > self._left:
            return None
        self._left -= wait
        return wait


class Standby:
    """Which of two models a run asks: after a failure of the first, the other for a while.

    All agents of a run share it, so that each does not wait for the same outage by itself.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._until = 0.0
        self._why: PmError | None = None

    @property
    def why(self) -> PmError | None:
        """What the first failed with, while it is not asked."""
        return None if self._clock.monotonic() >= self._until else self._why

    def failed(self, error: PmError) -> None:
        """Ask the other for a while; an answer that cannot be read says nothing of the next."""
        if error.slug != "model_answer_unreadable":
            self._why = error
            self._until = self._clock.monotonic() + AGAIN_S


class FallbackModel(ChatModel):
    """Asks `fallback` when `primary` fails; `model` is what the fallback calls its model."""

    def __init__(
        self, primary: ChatModel, fallback: ChatModel, standby: Standby, model: str | None = None
    ) -> None:
        self._primary = primary
        self._fallback = fallback
        self._standby = standby
        self._model = model

    @override
    async def chat(self, request: ChatRequest) -> ChatReply:
        first, new = self._standby.why, None
        if first is None:
            try:
                return await self._primary.chat(request)
            except PmError as error:
                if error.code not in PROVIDER_FAILURES:
                    raise
                first = new = error
        try:
            reply = await self._fallback.chat(self._translated(request))
        except PmError as second:
            if second.code not in PROVIDER_FAILURES:
                raise
            later = isinstance(first, RetryableError) or isinstance(second, RetryableError)
            kind = RetryableError if later else PmError
            raise kind("both_models_failed", primary=first, fallback=second) from second
        if new is not None:
            # Only now: where neither answers, the next question may well begin with the first.
            self._standby.failed(new)
        return reply

    def _translated(self, request: ChatRequest) -> ChatRequest:
        if self._model is None:
            return request
        return msgspec.structs.replace(request, model=self._model)
