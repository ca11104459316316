"""What Claude Code has used up so far, by its own events.

Every block of a message is an event of its own that repeats the message's usage, so a
message counts once, with the most it ever said.
"""

from collections.abc import Mapping
from typing import Any, cast

MESSAGES_AT_MOST = 10_000
"""Remembered one by one; the oldest of more are only kept in the sum."""


class TokenCount:
    """The tokens of all messages seen."""

    def __init__(self) -> None:
        self._settled = 0
        self._open: dict[str, int] = {}

    @property
    def total(self) -> int:
        return self._settled + sum(self._open.values())

    def take(self, event: Mapping[str, Any]) -> None:
        """Count what an event says of its message; one that says nothing counts nothing."""
        message = event.get("message")
        if event.get("type") != "assistant" or not isinstance(message, dict):
            return
        fields = cast("dict[str, Any]", message)
        used, name = tokens_in(fields.get("usage")), str(fields.get("id", ""))[:200]
        self._open[name] = max(used, self._open.get(name, 0))
        if len(self._open) > MESSAGES_AT_MOST:
            self._settled += self._open.pop(next(iter(self._open)))


def tokens_in(usage: object) -> int:
    """All kinds of tokens together."""
    found = cast("dict[str, Any]", usage) if isinstance(usage, dict) else {}
    return sum(v for k, v in found.items() if k.endswith("_tokens") and isinstance(v, int))
