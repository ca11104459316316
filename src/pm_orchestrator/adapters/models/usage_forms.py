"""Where each protocol says how many tokens were used.

What is missing, or is no count, is none: an answer is not refused for that, and the gateway
estimates what it cost.
"""

from typing import cast

import msgspec

from pm_orchestrator.domain.company.model_conversation import TokenUsage

MOST = 2**53
"""What JSON can count; whatever is more is no count."""


class UsageForm(msgspec.Struct, frozen=True, kw_only=True):
    """The fields that count, with dots between those inside of each other; several are added."""

    input: tuple[str, ...]
    output: tuple[str, ...]
    cached: tuple[str, ...] = ()
    """Those of the input that came from the vendor's cache."""
    stored: tuple[str, ...] = ()
    """Those of the input that went into it."""

    def read(self, said: object) -> TokenUsage:
        """What the vendor's own words come to."""
        return TokenUsage(
            input_tokens=_sum(said, self.input),
            output_tokens=_sum(said, self.output),
            cached_tokens=_sum(said, self.cached),
            stored_tokens=_sum(said, self.stored),
        )


def _sum(said: object, names: tuple[str, ...]) -> int:
    return sum(_count(said, name) for name in names)


def _count(said: object, name: str) -> int:
    for part in name.split("."):
        if not isinstance(said, dict):
            return 0
        said = cast("dict[str, object]", said).get(part)
    if isinstance(said, bool) or not isinstance(said, int):
        return 0
    # A negative count is kept: it tells that none of them can be believed.
    return said if abs(said) <= MOST else -1
