"""What models cost."""

from decimal import Decimal
from typing import Annotated

from msgspec import Meta

from pm_orchestrator.domain.record import Record

MILLION = 1_000_000


class LongPrompt(Record, frozen=True, kw_only=True):
    """A question that is longer than this costs so many times as much, all of it."""

    above: Annotated[int, Meta(ge=1)]
    """Tokens."""
    input: Decimal
    output: Decimal


class Price(Record, frozen=True, kw_only=True):
    """US dollars for a million tokens."""

    input: Decimal
    output: Decimal
    cached: Decimal = Decimal(1)
    """What reading a token from the vendor's cache costs, as a part of the input's price."""
    stored: Decimal = Decimal(1)
    """What writing one into it costs."""
    long_prompt: LongPrompt | None = None

    def most(self, input_tokens: int) -> tuple[Decimal, Decimal]:
        """What a question of this length costs at most, and each token of its answer."""
        into, out = self.each(input_tokens)
        return input_tokens * into * max(self.cached, self.stored, 1) / MILLION, out / MILLION

    def each(self, input_tokens: int) -> tuple[Decimal, Decimal]:
        """What a million tokens of a question of this length cost, and of its answer."""
        longer = self.long_prompt
        if longer is None or input_tokens <= longer.above:
            return self.input, self.output
        return self.input * longer.input, self.output * longer.output
