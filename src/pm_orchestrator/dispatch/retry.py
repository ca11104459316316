"""Patience with model providers: trying again, and trying another.

Both are wrappers around the ChatModel port, so they combine:
`FallbackModel(RetryingModel(a), RetryingModel(b))` is patient with each before it
gives up on both.
"""

import msgspec
from typing_extensions import override

from pm_orchestrator.domain.company.model_conversation import ChatReply, ChatRequest
from pm_orchestrator.domain.errors import PmError, RetryableError
from pm_orchestrator.ports.chat_model import ChatModel
from pm_orchestrator.ports.clock import Clock

DELAYS = (1.0, 2.0, 4.0)

PROVIDER_FAILURES = frozenset({"E601", "E602", "E603"})
"""What another provider may do better; a recording that does not fit, or evidence that
cannot be written, is nobody's provider's fault."""


class RetryingModel(ChatModel):
    """Asks again after 1, 2 and 4 seconds, then reports the last failure."""

    def __init__(self, inner: ChatModel, clock: Clock) -> None:
        self._inner = inner
        self._clock = clock

    @override
    async def chat(self, request: ChatRequest) -> ChatReply:
        for delay in DELAYS:
            try:
                return await self._inner.chat(request)
            except RetryableError:
                await self._clock.sleep(delay)
        return await self._inner.chat(request)


class FallbackModel(ChatModel):
    """Asks `fallback` when `primary` fails; `model` is what the fallback calls its model."""

    def __init__(self, primary: ChatModel, fallback: ChatModel, model: str | None = None) -> None:
        self._primary = primary
        self._fallback = fallback
        self._model = model

    @override
    async def chat(self, request: ChatRequest) -> ChatReply:
        try:
            return await self._primary.chat(request)
        except PmError as error:
            if error.code not in PROVIDER_FAILURES:
                raise
            first = error
        try:
            return await self._fallback.chat(self._translated(request))
        except PmError as second:
            if second.code not in PROVIDER_FAILURES:
                raise
            later = isinstance(first, RetryableError) or isinstance(second, RetryableError)
            kind = RetryableError if later else PmError
            raise kind("both_models_failed", primary=first, fallback=second) from second

    def _translated(self, request: ChatRequest) -> ChatRequest:
        if self._model is None:
            return request
        return msgspec.structs.replace(request, model=self._model)
