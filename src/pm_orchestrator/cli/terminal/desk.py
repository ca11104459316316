"""Where the person of a task sits: sees how it goes on, and is asked there and then."""

import sys
from typing import Protocol

from typing_extensions import override

from pm_orchestrator.cli.terminal.progress import Progress, progress_on
from pm_orchestrator.cli.terminal.screen import Screen
from pm_orchestrator.cli.terminal.terminal_input import is_attended, read_line
from pm_orchestrator.domain.catalogue.messages import say


class Desk(Protocol):
    """One place to show progress and to ask at."""

    @property
    def attended(self) -> bool:
        """Whether somebody is there who sees a question and can answer it."""
        ...

    def progress(self) -> Progress:
        """What shows one task while it runs."""
        ...

    async def answer(self, question: str, options: tuple[str, ...]) -> str:
        """The person's answer; empty when they leave the question."""
        ...

    def left_waiting(self, task_id: str) -> None:
        """Say how the task can be answered later."""
        ...


class ScreenDesk(Desk):
    """The plain terminal of a single command: a question, and the line typed below it."""

    def __init__(self, screen: Screen, *, quiet: bool) -> None:
        self._screen = screen
        self._quiet = quiet

    @property
    @override
    def attended(self) -> bool:
        return not self._quiet and is_attended()

    @override
    def progress(self) -> Progress:
        return progress_on(self._screen, quiet=self._quiet)

    @override
    async def answer(self, question: str, options: tuple[str, ...]) -> str:
        choice = f" [{'/'.join(options)}]" if options else ""
        self._screen.line(f"{question}{choice}")
        self._screen.prompt("> ")
        return (await read_line(sys.stdin.fileno())).strip()

    @override
    def left_waiting(self, task_id: str) -> None:
        self._screen.aside(say("task_waits", self._screen.lang, task=task_id))
