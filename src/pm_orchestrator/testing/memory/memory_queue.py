"""A bus in memory: the same promises, without a disk. Encodes what it carries."""

from datetime import datetime, timedelta

import msgspec
from typing_extensions import override

from pm_orchestrator.domain.company.agent import AgentMessage
from pm_orchestrator.domain.ids import safe_name
from pm_orchestrator.domain.record import from_json, to_json
from pm_orchestrator.ports.clock import Clock
from pm_orchestrator.ports.message_queue import Delivery, MessageQueue

PAUSE_S = 0.01


class _Kept(msgspec.Struct):
    message_id: str
    run_id: str
    recipient: str
    data: bytes
    attempt: int = 0
    hidden_until: datetime | None = None
    acknowledged_attempt: int | None = None


class MemoryQueue(MessageQueue):
    """Lives as long as its object."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._kept: list[_Kept] = []

    @override
    async def send(self, message: AgentMessage) -> None:
        kept = _Kept(
            message_id=safe_name(message.id, "message id"),
            run_id=safe_name(message.run_id, "run id"),
            recipient=safe_name(message.recipient, "recipient"),
            data=to_json(message),
        )
        known = {(k.run_id, k.message_id) for k in self._kept}
        if (kept.run_id, kept.message_id) not in known:
            self._kept.append(kept)

    @override
    async def claim(
        self, recipient: str, *, visibility_s: float, wait_s: float = 0.0
    ) -> Delivery | None:
        safe_name(recipient, "recipient")
        until = self._clock.monotonic() + wait_s
        while True:
            for kept in self._kept:
                if kept.recipient == recipient and self._visible(kept):
                    kept.attempt += 1
                    kept.hidden_until = self._clock.now() + timedelta(seconds=visibility_s)
                    return Delivery(
                        message=from_json(AgentMessage, kept.data),
                        receipt=f"{kept.message_id}.{kept.attempt}",
                        attempt=kept.attempt,
                    )
            if self._clock.monotonic() >= until:
                return None
            await self._clock.sleep(PAUSE_S)

    @override
    async def acknowledge(self, delivery: Delivery) -> bool:
        for kept in self._kept:
            same = (kept.run_id, kept.message_id) == (delivery.message.run_id, delivery.message.id)
            if same and kept.acknowledged_attempt is None and kept.hidden_until is not None:
                if kept.attempt == delivery.attempt:
                    kept.acknowledged_attempt = delivery.attempt
                    return True
            elif same:
                return kept.acknowledged_attempt == delivery.attempt
        return False

    @override
    async def release(self, recipient: str) -> int:
        held = [k for k in self._kept if k.recipient == recipient and k.hidden_until is not None]
        held = [k for k in held if k.acknowledged_attempt is None]
        for kept in held:
            kept.hidden_until = None
        return len(held)

    @override
    async def history(self, run_id: str) -> tuple[AgentMessage, ...]:
        safe_name(run_id, "run id")
        return tuple(from_json(AgentMessage, k.data) for k in self._kept if k.run_id == run_id)

    def _visible(self, kept: _Kept) -> bool:
        hidden = kept.hidden_until is not None and self._clock.now() < kept.hidden_until
        return kept.acknowledged_attempt is None and not hidden
