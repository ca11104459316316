"""The person at the plain terminal of a single command."""

import sys

from typing_extensions import override

from pm_orchestrator.cli.terminal.progress import NoProgress, PlainProgress, Progress
from pm_orchestrator.cli.terminal.screen import Screen
from pm_orchestrator.cli.terminal.terminal_input import is_attended, read_line
from pm_orchestrator.domain.catalogue.messages import say
from pm_orchestrator.domain.company.asking import OpenChoice, Permit, Wish
from pm_orchestrator.domain.text import Lang
from pm_orchestrator.runner.tasks.attended import Attendant


class ScreenAttendant(Attendant):
    """Sees plain progress; is asked a question, and types the line below it."""

    def __init__(self, screen: Screen, *, quiet: bool, folded: bool = False) -> None:
        self._screen = screen
        self._folded = folded
        self._quiet = quiet
        self._progress: Progress = NoProgress()

    @property
    @override
    def lang(self) -> Lang:
        return self._screen.lang

    @property
    @override
    def attended(self) -> bool:
        return not self._quiet and is_attended()

    @override
    def progress(self) -> Progress:
        self._progress = progress_on(self._screen, quiet=self._quiet, folded=self._folded)
        return self._progress

    @override
    async def answer(self, question: str, options: tuple[str, ...]) -> str:
        choice = f" [{'/'.join(options)}]" if options else ""
        self._screen.line(f"{question}{choice}")
        self._screen.prompt("> ")
        return (await read_line(sys.stdin.fileno())).strip()

    @override
    async def permit(self, wish: Wish) -> Permit:
        from pm_orchestrator.cli.terminal.asking_page import permit_by

        with self._progress.paused():
            return await permit_by(self.answer, self._screen, wish)

    @override
    async def pick(self, choice: OpenChoice) -> str:
        from pm_orchestrator.cli.terminal.asking_page import pick_by

        with self._progress.paused():
            return await pick_by(self.answer, self._screen, choice)

    @override
    def allowed_from_now_on(self, rules: tuple[str, ...]) -> None:
        from pm_orchestrator.cli.terminal.asking_page import say_allowed

        say_allowed(self._screen, rules)

    @override
    def left_waiting(self, task_id: str) -> None:
        self._screen.aside(say("task_waits", self._screen.lang, task=task_id))


def progress_on(screen: Screen, *, quiet: bool, folded: bool = False) -> Progress:
    """The right display for where the output goes."""
    if quiet:
        return NoProgress()
    if screen.is_terminal():
        from pm_orchestrator.cli.terminal.live_progress import LiveProgress

        return LiveProgress(screen, folded=folded)
    return PlainProgress(screen, folded=folded)
