"""The one endpoint that holds the real keys."""

from collections.abc import Awaitable, Callable
from typing import Protocol

import msgspec

from pm_orchestrator.domain.company.model_conversation import TokenUsage
from pm_orchestrator.domain.errors import PmError

OURS = "x-pm-error"
"""The header with an error of our own, which no vendor can set: the gateway passes none on."""


class Access(msgspec.Struct, frozen=True, kw_only=True):
    """How one agent reaches its models: a local address and a throw-away token."""

    base_url: str
    token: str


class Exchange(msgspec.Struct, frozen=True, kw_only=True):
    """One question of an agent and what it was answered, byte for byte, without headers."""

    agent: str
    turn: int
    """1 for the first question of a conversation."""
    status: int
    request: bytes
    response: bytes
    usage: TokenUsage


class Admission(msgspec.Struct, frozen=True, kw_only=True):
    """Whom a token was given to."""

    agent: str
    adapter: str


OnExchange = Callable[[Exchange], Awaitable[None]]
"""Awaited before the agent gets its answer; a PmError withholds the answer."""


class ModelTraffic(Protocol):
    """Hears what passes between an executor and its model, where we stand between them."""

    async def exchanged(self, exchange: Exchange) -> None:
        """Put it on record; awaited before anything is done about the answer."""
        ...

    async def parked(self, seconds: float, reason: str) -> None:
        """A question waits so long for a vendor that has too much to do."""
        ...


class ModelGateway(Protocol):
    """Admits agents and counts what they use. Open between `start` and `close`."""

    async def start(self) -> None: ...

    async def close(self) -> None: ...

    @property
    def port(self) -> int:
        """Where it listens on loopback, once it has started."""
        ...

    def admit(self, agent: str, adapter: str = "") -> Access:
        """A fresh token for `agent`; the agent's name is how replay finds its lines.

        What it asks goes to the vendor of the model adapter it was admitted with.
        """
        ...

    def dismiss(self, agent: str) -> None:
        """From now on no token of the agent's is worth anything."""
        ...

    def failure(self, agent: str) -> PmError | None:
        """Why the last question of the agent had no answer; None when it had one."""
        ...

    def usage(self, agent: str) -> TokenUsage: ...
