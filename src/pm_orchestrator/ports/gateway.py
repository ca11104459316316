"""The one endpoint that holds the real keys."""

from typing import Protocol

import msgspec

from pm_orchestrator.domain.conversation import Usage


class Access(msgspec.Struct, frozen=True, kw_only=True):
    """How one agent reaches its models: a local address and a throw-away token."""

    base_url: str
    token: str


class ModelGateway(Protocol):
    """Admits agents and counts what they use. Open between `start` and `close`."""

    async def start(self) -> None: ...

    async def close(self) -> None: ...

    def admit(self, agent: str) -> Access:
        """A fresh token for `agent`; the agent's name is how replay finds its lines."""
        ...

    def usage(self, agent: str) -> Usage: ...
