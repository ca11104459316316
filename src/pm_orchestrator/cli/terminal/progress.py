"""What a person sees while a run goes on: a live board on a terminal, plain lines in a pipe."""

import time
from typing import Any, Protocol

from typing_extensions import override

from pm_orchestrator.cli.terminal.screen import Screen
from pm_orchestrator.domain.catalogue.messages import say
from pm_orchestrator.domain.tasks.phase import Phase
from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.domain.text import Lang
from pm_orchestrator.ports.events import RunEvent


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
        if event.kind == "phase":
            self._phase = Phase(event.subject)
        elif event.kind == "plan":
            self._titles.update(event.detail["titles"])
        elif event.kind in {"worker", "gate", "examined", "merged"}:
            style = "default"
            if event.kind == "examined":
                accepted = event.detail["status"] == TaskStatus.COMPLETE
                style = "green" if accepted else "bold red"
                if not accepted:
                    # A refusal is the point of it all: it stays on screen above the board.
                    self._live.console.print(f"[bold red]{describe(event, self._lang)}[/]")
            self._lines[event.subject] = (_sub_task_line(event, self._lang), style)

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
        line.append(f"    {ticket[-2:]} {title} ", style="bold")
        line.append(said, style=style)
        return line


def describe(event: RunEvent, lang: Lang) -> str:
    """One line about an event, or nothing when it is not worth one."""
    if event.kind == "phase":
        number = list(Phase).index(Phase(event.subject)) + 1
        return f"{number}/7 {say(event.subject, lang)}"
    if event.kind == "plan":
        titles: dict[str, str] = event.detail["titles"]
        listed = "; ".join(f"{ticket[-2:]} {title}" for ticket, title in titles.items())
        return f"    {say('plan', lang, count=len(titles))}: {listed}"
    if event.kind == "verdict":
        return f"    {event.detail['status']}: {event.detail['reason']}"
    text = _sub_task_line(event, lang)
    return f"    {event.subject} {text}" if text else ""


def _sub_task_line(event: RunEvent, lang: Lang) -> str:
    detail = event.detail
    if event.kind == "worker":
        text = say(
            f"worker_{detail['state']}", lang, **{"text": "", "turn": 0, "attempt": 1, **detail}
        )
        return f"{detail.get('worker', '')} {text}".strip()
    if event.kind == "gate":
        return say("gates_running", lang)
    if event.kind == "examined":
        accepted = detail["status"] == TaskStatus.COMPLETE
        key = "claim_accepted" if accepted else "claim_refused"
        return say(key, lang, claim=detail["claim"], reason=detail["reason"])
    if event.kind == "merged":
        gates = ", ".join(f"{k} {v}" for k, v in detail["gates"].items()) or "-"
        return say("merged", lang, gates=gates)
    return ""


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
