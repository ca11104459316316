"""Following Claude Code while it runs: its events, its terminal text, its silence."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal

from typing_extensions import override

from pm_orchestrator.adapters.executors.claude_events import ClaudeEvents, request_in
from pm_orchestrator.adapters.executors.output_lines import EventLines, Transcript
from pm_orchestrator.domain.supervision import Blockage, ExecutorWatch, WatchLimits
from pm_orchestrator.ports.clock import Clock
from pm_orchestrator.ports.process import Watcher

FAREWELL_S = 5.0
"""How long the CLI may live on after its last word."""


class ClaudeWatch(Watcher):
    """Reads the stream as it comes and decides how long it may go on."""

    def __init__(self, limits: WatchLimits, clock: Clock) -> None:
        self._clock = clock
        self._watch = ExecutorWatch(limits, clock.monotonic())
        self._lines = EventLines()
        self._transcript = Transcript()
        self._errors = Transcript()
        self._ended_at: float | None = None
        self.events = ClaudeEvents()
        self.blocked: Blockage | None = None
        self.overran = False

    @override
    def output(self, stream: Literal["stdout", "stderr"], data: bytes) -> None:
        if stream == "stderr":
            self._errors.add(data)
            self._watch.terminal(data.decode(errors="replace"), self._clock.monotonic())
        else:
            self._transcript.add(data)
            self._take(self._lines.feed(data))

    @override
    def patience(self, waits_for_input: Callable[[], bool]) -> float:
        now = self._clock.monotonic()
        if self._ended_at is not None:
            # It has said its last word: it cannot be stuck any more, only slow to go.
            return self._ended_at + FAREWELL_S - now
        self.blocked = self._watch.verdict(now, waits_for_input)
        if self.blocked is not None:
            self.overran = self._watch.overran(now)
            return 0.0
        # What comes meanwhile may look like a prompt, so it is asked again soon anyway.
        return max(self._watch.patience(now), 0.01)

    def finish(self, exit_code: int | None) -> None:
        """Nothing more will come."""
        self._take(self._lines.finish())
        if self.blocked is None and self.events.final is None:
            self.blocked = self._watch.ended(exit_code, self._clock.monotonic())

    def transcript(self) -> str:
        """Everything it put out, cut in the middle where it was too much."""
        return f"--- stdout\n{self._transcript.text()}\n--- stderr\n{self._errors.text()}"

    def last_words(self) -> str:
        """The end of what it wrote to stderr, or else to stdout."""
        return (self._errors.text().strip() or self._transcript.text().strip())[-400:]

    def _take(self, parts: Iterator[Mapping[str, Any] | str]) -> None:
        now = self._clock.monotonic()
        for part in parts:
            if isinstance(part, str):
                self._watch.terminal(part, now)
                continue
            opened, closed = self.events.take(part)
            self._watch.event(now, opened=opened, closed=closed)
            request = request_in(part)
            if request is not None:
                self._watch.asked(f"control_request {request}", now)
            if part.get("type") == "result":
                self._ended_at = now
