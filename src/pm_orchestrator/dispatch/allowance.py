"""Whether one more question may be asked under a cap, and how long its answer may be. Pure.

What is on its way counts as what it may cost at most, so that no order of questions and
answers spends more than a cap allows. Near the end of one, questions wait for each other, and
the last gets what is left.
"""

from collections.abc import Sequence
from decimal import Decimal
from typing import Literal

import msgspec

LEAST_ANSWER = 256
"""Tokens; nothing worth paying for fits into fewer."""
CapName = Literal["tokens", "usd", "turns", "minutes", "tokens_per_day", "usd_per_day"]


class Bound(msgspec.Struct, frozen=True, kw_only=True):
    """One cap, and what a question would cost under it."""

    name: CapName
    most: Decimal
    spent: Decimal
    held: Decimal
    """By questions that are on their way."""
    fixed: Decimal
    """What the question itself costs at most."""
    each: Decimal
    """What each token of its answer does."""

    def fits(self, answer: int) -> bool:
        return self.spent + self.held + self._cost(answer) <= self.most

    def is_reached(self, answer: int) -> bool:
        """Whether it would not fit even if what is on its way came to nothing."""
        return self.spent + self._cost(answer) > self.most

    def longest(self, answer: int) -> int:
        """As much of the answer as fits."""
        if self.fits(answer):
            return answer
        free = self.most - self.spent - self.held - self.fixed
        return int(free // self.each) if self.each else 0

    def _cost(self, answer: int) -> Decimal:
        return self.fixed + self.each * answer


def room_for(bounds: Sequence[Bound], answer: int) -> "int | Bound | None":
    """The tokens an answer may have, the cap in its way, or None where it has to wait."""
    least = min(answer, LEAST_ANSWER)
    reached = next((bound for bound in bounds if bound.is_reached(least)), None)
    if reached is not None:
        return reached
    if all(bound.fits(answer) for bound in bounds):
        return answer
    if any(bound.held for bound in bounds if not bound.fits(answer)):
        return None
    return min(bound.longest(answer) for bound in bounds)
