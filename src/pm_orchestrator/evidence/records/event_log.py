"""What happens in a run, as it happens: two files, any number of watchers."""

from collections.abc import Callable
from pathlib import Path

from msgspec.structs import replace
from typing_extensions import override

from pm_orchestrator.domain.history.run_events import RunEvent
from pm_orchestrator.domain.ids import iso
from pm_orchestrator.domain.record import to_json
from pm_orchestrator.evidence.look.plain_open import append_to
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.evidence.masking.redaction import redact
from pm_orchestrator.ports.clock import Clock
from pm_orchestrator.ports.events import EventSink

EventWatcher = Callable[[RunEvent], None]


class EventLog(EventSink):
    """Appends to the files in a run's `folder` and tells the watchers, masked for both."""

    def __init__(self, folder: Path, run_id: str, masker: Masker, clock: Clock) -> None:
        self._folder = folder
        self._run_id = run_id
        self._masker = masker.for_log_events()
        self._clock = clock
        self._sequence = 0
        self._watchers: list[EventWatcher] = []

    def watch(self, watcher: EventWatcher) -> None:
        """Call `watcher` with every event from now on."""
        self._watchers.append(watcher)

    @override
    async def publish(self, event: RunEvent, *, kept: bool = True) -> None:
        self._sequence += kept
        told = replace(
            event,
            sequence=self._sequence,
            timestamp=iso(self._clock.now()),
            run_id=self._run_id,
            detail=redact(event.detail, self._masker),
        )
        if kept:
            # Handed to the system and not waited for: events are no evidence, and a thread
            # would cost more than the write.
            append_to(self._folder / event.file, to_json(told) + b"\n")
        for watcher in self._watchers:
            watcher(told)
