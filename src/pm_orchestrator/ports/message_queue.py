"""The bus between agents: at least once, in order of sending per recipient."""

from typing import Protocol

import msgspec

from pm_orchestrator.domain.company.agent import AgentMessage
from pm_orchestrator.ports.adapter import AdapterFactory, AdapterSite


class Delivery(msgspec.Struct, frozen=True, kw_only=True):
    """A claimed message; `receipt` names this claim."""

    message: AgentMessage
    receipt: str
    attempt: int


class MessageQueue(Protocol):
    """Workers pull; nobody listens on a port.

    A message is delivered until it is acknowledged: a claim that is not
    acknowledged before its visibility deadline goes to the next claimer.
    Handlers must be idempotent by message id.
    """

    async def send(self, message: AgentMessage) -> None:
        """Durable on return. Sending the same message id twice sends it once."""
        ...

    async def claim(
        self, recipient: str, *, visibility_s: float, wait_s: float = 0.0
    ) -> Delivery | None:
        """The oldest visible message for `recipient`, waiting up to `wait_s`."""
        ...

    async def acknowledge(self, delivery: Delivery) -> bool:
        """False when the claim had expired and somebody else holds the message now."""
        ...

    async def release(self, recipient: str) -> int:
        """Make all claimed messages of `recipient` visible again at once; how many.

        For whoever takes over a recipient's name and knows that the holder of
        these claims is dead. A claim that was released cannot be acknowledged.
        """
        ...

    async def history(self, run_id: str) -> tuple[AgentMessage, ...]:
        """Every message ever sent for a run, acknowledged or not, in order of sending."""
        ...


class QueueFactory(AdapterFactory, Protocol):
    """Opens the bus of one run; what was sent on it before is still there."""

    def open(self, site: AdapterSite) -> MessageQueue: ...
