"""Telling whoever watches what is happening."""

from typing import Any, Protocol

from pm_orchestrator.domain.record import Record


class RunEvent(Record, frozen=True, kw_only=True):
    """One line of `events.jsonl`."""

    sequence: int
    timestamp: str
    run_id: str
    kind: str
    """`phase`, `worker`, `gate`, `refused`, `merged`, `verdict` …"""
    subject: str
    """What it is about: a phase, a ticket, a branch."""
    detail: dict[str, Any]


class EventSink(Protocol):
    """Takes events; never fails the work it watches."""

    async def publish(self, kind: str, subject: str, **detail: Any) -> None: ...
