"""What a run tells of itself while it goes on: two files that grow, read bit by bit."""

from pathlib import Path

from pm_orchestrator.domain.history.run_events import (
    EVENTS,
    HEARD,
    ActivityEvent,
    HeardEvent,
    RunEvent,
    read_event,
)
from pm_orchestrator.domain.record import MalformedRecordError
from pm_orchestrator.ports.store import DurableFiles


class EventFiles:
    """The events of one run; each is handed out once."""

    def __init__(self, files: DurableFiles, folder: Path) -> None:
        self._files = files
        self._folder = folder
        self._read: dict[str, int] = {}

    def news(self) -> list[RunEvent]:
        """What has been written since the last call, in no order."""
        path = self._folder / EVENTS
        events = [read_event(line, str(path)) for line in self._new_lines(EVENTS)]
        return events + [event for line in self._new_lines(HEARD) for event in _heard(line)]

    def _new_lines(self, name: str) -> list[bytes]:
        place = self._read.get(name, 0)
        try:
            data = self._files.read(self._folder / name, place)
        except OSError:
            # Not there yet; or an executor has put a pipe in its place, and nothing is heard.
            return []
        whole = data[: data.rfind(b"\n") + 1]
        self._read[name] = place + len(whole)
        return whole.splitlines()


def _heard(line: bytes) -> list[RunEvent]:
    """An executor may write into this file while it works: nothing else in it is believed."""
    try:
        event = read_event(line, HEARD)
    except MalformedRecordError:
        return []
    return [event] if isinstance(event, HeardEvent | ActivityEvent) else []
