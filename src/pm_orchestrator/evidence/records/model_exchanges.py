"""Exchanges with models as evidence: each says what is new in it.

Every question of a conversation repeats all of it. What an earlier record of the same agent
holds is named by its hash, so that a conversation takes as much room as was said in it.
The hashes are over what the records hold, secrets masked: whoever reads them in order can
put each request together again, and check it.
"""

import hashlib
from typing import Any

import msgspec

from pm_orchestrator.domain.record import to_json
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.ports.gateway import Exchange

SHORT = 200
"""Bytes; what is no longer than this is repeated rather than named."""


class _Part:
    """A value of the last request, or the elements of a list in it."""

    def __init__(self) -> None:
        self.seen: list[bytes] = []
        """Of each element as it was sent."""
        self.chained: list[str] = []
        """Of all elements up to each one, as they are on record."""


class ExchangeRecords:
    """Makes the raw text of each exchange of one run."""

    def __init__(self, masker: Masker) -> None:
        self._masker = masker
        self._agents: dict[str, dict[str, _Part]] = {}

    def raw(self, exchange: Exchange) -> str:
        """A line about it, then the request with what is new in it, then the answer."""
        head = f"{exchange.agent} turn {exchange.turn} status {exchange.status}"
        answer = exchange.response.decode(errors="replace")
        return f"{head}\n{self._request(exchange)}\n{answer}"

    def _request(self, exchange: Exchange) -> str:
        try:
            request = msgspec.json.decode(exchange.request, type=dict[str, Any])
        except (msgspec.DecodeError, UnicodeDecodeError):
            return exchange.request.decode(errors="replace")
        parts = self._agents.setdefault(exchange.agent, {})
        told = {name: self._told(parts, name, value) for name, value in request.items()}
        for gone in parts.keys() - request.keys():
            del parts[gone]
        return to_json(told).decode()

    def _told(self, parts: dict[str, _Part], name: str, value: Any) -> Any:
        listed = isinstance(value, list)
        elements = msgspec.convert(value if listed else [value], list[Any])
        whole = [to_json(element) for element in elements]
        part = parts.setdefault(name, _Part())
        same = 0
        hashes = [hashlib.sha256(text).digest() for text in whole]
        while same < min(len(hashes), len(part.seen)) and hashes[same] == part.seen[same]:
            same += 1
        part.seen = hashes
        del part.chained[same:]
        for text in whole[same:]:
            before = part.chained[-1] if part.chained else ""
            kept = self._masker.mask(text.decode()).text
            part.chained.append(hashlib.sha256(f"{before}{kept}".encode()).hexdigest())
        if not same or sum(map(len, whole[:same])) <= SHORT:
            return elements if listed else elements[0]
        named: Any = {"as_before": same, "sha256": part.chained[same - 1]}
        return [named, *elements[same:]] if listed else named
