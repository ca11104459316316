"""What a person at a terminal sees while a run goes on, redrawn in place.

Of one executor, what it says and does streams by above one line; of a company, a board.
"""

import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from typing_extensions import override

from pm_orchestrator.cli.terminal.progress import (
    Progress,
    SubTaskEvent,
    describe,
    parked_line,
    sub_task_line,
)
from pm_orchestrator.cli.terminal.screen import Screen
from pm_orchestrator.domain.catalogue.messages import say
from pm_orchestrator.domain.history.run_events import (
    ActivityEvent,
    ExaminedEvent,
    GateEvent,
    HeardEvent,
    MergedEvent,
    NoticeEvent,
    ParkedEvent,
    PhaseEvent,
    PlanEvent,
    RunEvent,
    UnknownEvent,
    VerdictEvent,
    WorkerEvent,
)
from pm_orchestrator.domain.tasks.phase import Phase
from pm_orchestrator.domain.text import Lang


class LiveProgress(Progress):
    """The line, or the board: phases ticking off and one line per sub-task."""

    def __init__(self, screen: Screen, *, folded: bool = False, ago: float = 0.0) -> None:
        from rich.console import Console
        from rich.live import Live

        from pm_orchestrator.cli.terminal.live_line import LiveLine

        self._lang: Lang = screen.lang
        self._mask = screen.mask
        self._folded = folded
        self._line = LiveLine(ago=ago)
        self._start = time.monotonic() - ago
        self._phase: Phase | None = None
        self._titles: dict[str, str] = {}
        self._lines: dict[str, tuple[str, str]] = {}
        self._parked: dict[str, tuple[ParkedEvent, float]] = {}
        """Who waits for a provider, and until when."""
        self._console = Console(highlight=False)
        self._live = Live(console=self._console, get_renderable=self.board, refresh_per_second=8)

    @override
    def __enter__(self) -> "LiveProgress":
        self._line.__enter__()
        # What was drawn first would be shown below the first line, made before it began.
        self._live.start(refresh=True)
        return self

    @override
    def __exit__(self, *_: object) -> None:
        # The line has said what it had to say; the board is looked at again.
        self._live.transient = not self._titles
        self._live.__exit__(None, None, None)

    @override
    def show(self, event: RunEvent) -> None:
        self._line.show(event)
        match event:
            case PhaseEvent(subject=phase):
                self._phase = phase
            case PlanEvent(detail=plan):
                self._titles.update(plan.titles)
            case ExaminedEvent(detail=found):
                self._sub_task_at(event, "green" if found.accepted else "bold red")
                if not found.accepted:
                    from rich.text import Text

                    # A refusal is the point of it all: it stays on screen above the board.
                    refused = Text(self._mask(describe(event, self._lang)), style="bold red")
                    self._console.print(refused)
            case WorkerEvent() | GateEvent() | MergedEvent():
                self._sub_task_at(event, "default")
            case HeardEvent(detail=piece):
                from pm_orchestrator.cli.terminal.heard_lines import heard_lines

                self._print(heard_lines(piece, self._console.width))
            case NoticeEvent():
                from rich.text import Text

                # Above the line, where it stays.
                notice = self._mask(describe(event, self._lang).strip())
                self._console.print(Text(notice, style="yellow"))
            case ParkedEvent(subject=agent, detail=parked):
                self._parked[agent] = (event, time.monotonic() + parked.seconds)
            case VerdictEvent() | ActivityEvent() | UnknownEvent():
                pass

    @override
    @contextmanager
    def paused(self) -> Generator[None]:
        # Above the question nothing is left of the line, which comes back below the answer.
        kept, self._live.transient = self._live.transient, True
        self._live.stop()
        self._live.transient = kept
        try:
            yield
        finally:
            self._live.start(refresh=True)

    def _print(self, lines: list[str]) -> None:
        if self._folded:
            return
        from rich.text import Text

        self._console.print(Text(self._mask("\n".join(lines)), style="dim"))

    def _sub_task_at(self, event: SubTaskEvent, style: str) -> None:
        self._lines[event.subject] = (self._mask(sub_task_line(event, self._lang)), style)

    def board(self) -> Any:
        """The whole display, as rich draws it."""
        from rich.table import Table
        from rich.text import Text

        if not self._titles:
            width = self._console.width
            line = Text(self._mask(self._line.line(self._lang, width)), no_wrap=True)
            waits = self._waits()
            return Text("\n").join([line, *waits]) if waits else line
        board = Table.grid()
        now = list(Phase).index(self._phase) if self._phase is not None else -1
        for number, phase in enumerate(Phase):
            mark, style = ("✓", "green") if number < now else ("·", "dim")
            if number == now:
                mark, style = "▸", "bold cyan"
            board.add_row(Text(f"{mark} {say(phase, self._lang)}", style=style))
            if phase is Phase.EXECUTION:
                for ticket, title in self._titles.items():
                    board.add_row(self._sub_task(ticket, title))
        board.add_row(Text(f"  {time.monotonic() - self._start:.1f} s", style="dim"))
        for wait in self._waits():
            board.add_row(wait)
        return board

    def _waits(self) -> list[Any]:
        """Who waits for a provider, counting down."""
        from rich.text import Text

        now = time.monotonic()
        return [
            Text(
                "  " + self._mask(parked_line(event, until - now, self._lang)),
                style="yellow",
                no_wrap=True,
                overflow="ellipsis",
            )
            for event, until in self._parked.values()
            if until > now
        ]

    def _sub_task(self, ticket: str, title: str) -> Any:
        from rich.text import Text

        said, style = self._lines.get(ticket, ("", "dim"))
        line = Text(no_wrap=True, overflow="ellipsis")
        line.append(self._mask(f"    {ticket[-2:]} {title} "), style="bold")
        line.append(said, style=style)
        return line
