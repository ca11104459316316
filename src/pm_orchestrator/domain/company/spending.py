"""What questions to models cost, and what they may cost. Pure."""

from decimal import Decimal

from pm_orchestrator.domain.company.model_conversation import TokenUsage
from pm_orchestrator.domain.record import Record
from pm_orchestrator.domain.setup.prices import MILLION, Price

ASCII_BYTES, OTHER_BYTES = 3, 2
"""For one token, on the safe side: most texts need more bytes for each."""


def cost_of(used: TokenUsage, price: Price) -> Decimal:
    """What this much has cost."""
    cheap = min(max(used.cached_tokens, 0), used.input_tokens)
    dear = min(max(used.stored_tokens, 0), used.input_tokens - cheap)
    weighed = used.input_tokens - cheap - dear + cheap * price.cached + dear * price.stored
    into, out = price.each(used.input_tokens)
    return (weighed * into + used.output_tokens * out) / MILLION


class Spending(Record, frozen=True, kw_only=True):
    """What several questions have cost together."""

    turns: int = 0
    """Answers."""
    used: TokenUsage = TokenUsage()
    usd: Decimal = Decimal(0)
    """Of those whose price is known."""
    unpriced_tokens: int = 0
    """Of those whose price is not."""

    def __add__(self, other: "Spending") -> "Spending":
        return Spending(
            turns=self.turns + other.turns,
            used=self.used + other.used,
            usd=self.usd + other.usd,
            unpriced_tokens=self.unpriced_tokens + other.unpriced_tokens,
        )

    @property
    def tokens(self) -> str:
        """For people; an estimate is marked as one."""
        return f"{'~' if self.used.estimated else ''}{self.used.tokens:,}"

    @property
    def cost(self) -> str:
        """For people; a price that is not known is a question mark."""
        if not self.unpriced_tokens:
            return dollars(self.usd, estimated=self.used.estimated)
        return f"{dollars(self.usd)} + ?" if self.usd else "$?"


def dollars(amount: Decimal, *, estimated: bool = False) -> str:
    """As people write it: to the cent, and what is less than a dollar to a hundredth of that."""
    return f"{'~' if estimated else ''}${amount:,.{2 if amount >= 1 else 4}f}"


def spending_of(used: TokenUsage, price: Price | None) -> Spending:
    """What one answer has cost."""
    if price is None:
        return Spending(turns=1, used=used, unpriced_tokens=used.tokens)
    return Spending(turns=1, used=used, usd=cost_of(used, price))


class Caps(Record, frozen=True, kw_only=True, omit_defaults=True):
    """What may be spent; None where it is not limited."""

    tokens: int | None = None
    usd: Decimal | None = None
    turns: int | None = None
    seconds: int | None = None

    def or_else(self, other: "Caps") -> "Caps":
        """These, and those of `other` where there are none of these."""
        return Caps(
            **{
                name: getattr(other, name) if getattr(self, name) is None else getattr(self, name)
                for name in self.__struct_fields__
            }
        )

    @property
    def limits_answers(self) -> bool:
        """Whether it matters how long an answer is."""
        return self.tokens is not None or self.usd is not None


def tokens_at_most(text: bytes) -> int:
    """How many tokens a text has, on the safe side."""
    other = len(text.translate(None, bytes(range(128))))
    plain = len(text) - other
    return -(-plain // ASCII_BYTES) + -(-other // OTHER_BYTES)


ABSURD = 200_000
"""Tokens beyond what was said that a vendor may count: what it searched, saw and thought."""


def believed(said: TokenUsage, asked_at_most: int, answered_at_most: int) -> TokenUsage:
    """What the vendor counted; an estimate, marked as one, where it did not or that cannot be."""
    counts = (said.input_tokens, said.output_tokens, said.cached_tokens, said.stored_tokens)
    room_in, room_out = 2 * asked_at_most + ABSURD, 2 * answered_at_most + ABSURD
    if (
        min(counts) >= 0
        and said.cached_tokens + said.stored_tokens <= said.input_tokens
        and 0 < said.input_tokens <= room_in
        and said.output_tokens <= room_out
        and (said.output_tokens or not answered_at_most)
    ):
        return said
    return TokenUsage(input_tokens=asked_at_most, output_tokens=answered_at_most, estimated=True)
