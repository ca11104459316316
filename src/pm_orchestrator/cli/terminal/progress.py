"""What a person sees while a run goes on: a live board on a terminal, plain lines in a pipe."""

import time
from typing import Any, Protocol

from typing_extensions import override

from pm_orchestrator.cli.terminal.screen import Screen
from pm_orchestrator.domain.catalogue.messages import say
from pm_orchestrator.domain.history.run_events import (
    ActivityEvent,
    BrokeDown,
    Claims,
    ExaminedEvent,
    GateEvent,
    MergedEvent,
    PhaseEvent,
    PlanEvent,
    Queued,
    RunEvent,
    UnknownEvent,
    VerdictEvent,
    WorkerEvent,
    Working,
)
from pm_orchestrator.domain.tasks.phase import Phase
from pm_orchestrator.domain.text import Lang

SubTaskEvent = WorkerEvent | GateEvent | ExaminedEvent | MergedEvent


class Progress(Protocol):
    """Shows events; used as a context manager around a run."""

    def __enter__(self) -> "Progress": ...

    def __exit__(self, *_: object) -> None: ...

    def show(self, event: RunEvent) -> None: ...


class PlainProgress(Progress):
    """One line per event, with the time since the start."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._start = time.monotonic()

    @override
    def __enter__(self) -> "PlainProgress":
        return self

    @override
    def __exit__(self, *_: object) -> None:
        """Nothing is left open."""

    @override
    def show(self, event: RunEvent) -> None:
        text = describe(event, self._screen.lang)
        if text:
            self._screen.line(f"[{time.monotonic() - self._start:5.1f} s] {text}")


class LiveProgress(Progress):
    """A board: the phases ticking off, one line per sub-task, refreshed in place."""

    def __init__(self, screen: Screen) -> None:
        from rich.console import Console
        from rich.live import Live

        self._lang: Lang = screen.lang
        self._mask = screen.mask
        self._start = time.monotonic()
        self._phase: Phase | None = None
        self._titles: dict[str, str] = {}
        self._lines: dict[str, tuple[str, str]] = {}
        self._live = Live(
            console=Console(highlight=False), get_renderable=self.board, refresh_per_second=8
        )

    @override
    def __enter__(self) -> "LiveProgress":
        self._live.__enter__()
        return self

    @override
    def __exit__(self, *_: object) -> None:
        self._live.__exit__(None, None, None)

    @override
    def show(self, event: RunEvent) -> None:
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
                    self._live.console.print(refused)
            case WorkerEvent() | GateEvent() | MergedEvent():
                self._sub_task_at(event, "default")
            case VerdictEvent() | ActivityEvent() | UnknownEvent():
                pass

    def _sub_task_at(self, event: SubTaskEvent, style: str) -> None:
        self._lines[event.subject] = (self._mask(_sub_task_line(event, self._lang)), style)

    def board(self) -> Any:
        """The whole display, as rich draws it."""
        from rich.table import Table
        from rich.text import Text

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
        return board

    def _sub_task(self, ticket: str, title: str) -> Any:
        from rich.text import Text

        said, style = self._lines.get(ticket, ("", "dim"))
        line = Text(no_wrap=True, overflow="ellipsis")
        line.append(self._mask(f"    {ticket[-2:]} {title} "), style="bold")
        line.append(said, style=style)
        return line


def describe(event: RunEvent, lang: Lang) -> str:
    """One line about an event, or nothing when it is not worth one."""
    match event:
        case PhaseEvent(subject=phase):
            return f"{list(Phase).index(phase) + 1}/7 {say(phase, lang)}"
        case PlanEvent(detail=plan):
            listed = "; ".join(f"{ticket[-2:]} {title}" for ticket, title in plan.titles.items())
            return f"    {say('plan', lang, count=len(plan.titles))}: {listed}"
        case VerdictEvent(detail=verdict):
            return f"    {verdict.status}: {verdict.reason}"
        case UnknownEvent(subject=subject, detail=unread):
            said = say("unknown_event", lang, kind=unread.kind)
            return f"    {subject} {said}" if subject else f"    {said}"
        case ActivityEvent():
            return ""
        case _:
            return f"    {event.subject} {_sub_task_line(event, lang)}"


def _sub_task_line(event: SubTaskEvent, lang: Lang) -> str:
    match event:
        case WorkerEvent(detail=state):
            return _worker_line(state, lang)
        case GateEvent():
            return say("gates_running", lang)
        case ExaminedEvent(detail=found):
            key = "claim_accepted" if found.accepted else "claim_refused"
            return say(key, lang, claim=found.claim, reason=found.reason)
        case MergedEvent(detail=merged):
            gates = ", ".join(f"{k} {v}" for k, v in merged.gates.items()) or "-"
            return say("merged", lang, gates=gates)


def _worker_line(state: Queued | Working | Claims | BrokeDown, lang: Lang) -> str:
    match state:
        case Queued():
            return say("worker_queued", lang)
        case Working(worker=worker, attempt=attempt, turn=turn, text=text):
            working = say("worker_working", lang, attempt=attempt, turn=turn, text=text)
            return f"{worker} {working}"
        case Claims(worker=worker, text=text):
            return f"{worker} {say('worker_claims', lang, text=text)}"
        case BrokeDown(text=text):
            return say("worker_failed", lang, text=text)


class NoProgress(Progress):
    """For output that programs read."""

    @override
    def __enter__(self) -> "NoProgress":
        return self

    @override
    def __exit__(self, *_: object) -> None:
        """Nothing is left open."""

    @override
    def show(self, event: RunEvent) -> None:
        """Nothing is shown."""


def progress_on(screen: Screen, *, quiet: bool) -> Progress:
    """The right display for where the output goes."""
    if quiet:
        return NoProgress()
    return LiveProgress(screen) if screen.is_terminal() else PlainProgress(screen)
