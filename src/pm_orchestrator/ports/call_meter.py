"""Who counts what questions to models cost, and says whether one more may be asked."""

from typing import Protocol

import msgspec

from pm_orchestrator.domain.company.model_conversation import TokenUsage


class ModelCall(msgspec.Struct, frozen=True, kw_only=True):
    """A question before it is asked."""

    agent: str
    adapter: str
    model: str
    input_tokens: int
    """At most, by its length."""
    output_tokens: int
    """What its answer may have; less may be granted."""


class Granted(msgspec.Struct, frozen=True, kw_only=True):
    """Leave to ask, once."""

    id: str
    call: ModelCall
    output_tokens: int
    """What its answer may have."""


class CallMeter(Protocol):
    """Grants each question before it is asked, and hears what it used."""

    @property
    def limits_answers(self) -> bool:
        """Whether it matters how long an answer may be."""
        ...

    async def grant(self, call: ModelCall) -> Granted:
        """Leave to ask, as soon as it is clear that what is on its way leaves room for it.

        Raises:
            CapReachedError: E206, a cap would not hold.
        """
        ...

    def settle(self, granted: Granted, used: TokenUsage | None) -> None:
        """What it used; None for what was never answered."""
        ...
