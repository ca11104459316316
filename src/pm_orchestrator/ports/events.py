"""Telling whoever watches what is happening."""

from typing import Protocol

from pm_orchestrator.domain.history.run_events import RunEvent


class EventSink(Protocol):
    """Takes events; never fails the work it watches."""

    async def publish(self, event: RunEvent, *, kept: bool = True) -> None:
        """Tell everybody who watches; `kept` also those who look from another process."""
        ...
