"""One line about the task that runs: phase, time, what it is at, tokens and cost."""

import time
from collections.abc import Callable

from typing_extensions import override

from pm_orchestrator.cli.terminal.heard_lines import heard_in_brief
from pm_orchestrator.cli.terminal.progress import Progress
from pm_orchestrator.cli.terminal.text_width import SEPARATOR, cut_to_width
from pm_orchestrator.domain.catalogue.messages import say
from pm_orchestrator.domain.catalogue.repl_texts import tell
from pm_orchestrator.domain.history.run_events import (
    ActivityEvent,
    HeardEvent,
    PhaseEvent,
    RunEvent,
)
from pm_orchestrator.domain.tasks.phase import Phase
from pm_orchestrator.domain.text import Lang

SPINNER = "|/-\\"
TURNS_PER_SECOND = 4


class LiveLine(Progress):
    """Nothing of it stays on the screen: it is asked for its line while the task runs."""

    def __init__(self, now: Callable[[], float] = time.monotonic, ago: float = 0.0) -> None:
        """`ago` is for how many seconds it has been going on when it is first shown."""
        self._now = now
        self._ago = ago
        self._since = 0.0
        self._phase: Phase | None = None
        self._what = ""
        self._is_heard = False
        self._tokens = 0
        self._cost: float | None = None
        self.running = False

    @override
    def __enter__(self) -> "LiveLine":
        self.__init__(self._now, self._ago)
        self._since = self._now() - self._ago
        self.running = True
        return self

    @override
    def __exit__(self, *_: object) -> None:
        self.running = False

    @override
    def show(self, event: RunEvent) -> None:
        match event:
            case PhaseEvent(subject=phase):
                self._phase = phase
                self._what = ""
            case HeardEvent(detail=piece):
                self._what = heard_in_brief(piece)
                self._is_heard = True
            case ActivityEvent(detail=seen):
                if not self._is_heard:
                    self._what = seen.what
                self._tokens = seen.tokens
                self._cost = seen.cost_usd
            case _:
                pass

    def line(self, lang: Lang, width: int) -> str:
        """All of it, cut to the width of the terminal; the least important is cut first."""
        seconds = self._now() - self._since
        turn = SPINNER[int(seconds * TURNS_PER_SECOND) % len(SPINNER)]
        parts = [f"{turn} {elapsed(seconds)}"]
        if self._phase is not None:
            number = list(Phase).index(self._phase) + 1
            parts.append(f"{number}/{len(Phase)} {say(self._phase, lang)}")
        if self._tokens:
            parts.append(tell("live_tokens", lang, count=f"{self._tokens:,}"))
        if self._cost is not None:
            parts.append(f"${self._cost:.2f}")
        if self._what:
            parts.append(self._what)
        return cut_to_width(SEPARATOR.join(parts), width)


def elapsed(seconds: float) -> str:
    """As a person reads a clock: 7 s, 1:05, 1:02:05."""
    whole = int(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
