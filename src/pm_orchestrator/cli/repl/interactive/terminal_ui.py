"""The person at the terminal, as commands and tasks see them."""

import asyncio
from collections.abc import Callable, Sequence

from prompt_toolkit.utils import is_dumb_terminal
from typing_extensions import override

from pm_orchestrator.cli.pages.logs.browsable_logs import LogPages
from pm_orchestrator.cli.repl.interactive.chooser import Chooser
from pm_orchestrator.cli.repl.interactive.heard_stream import HeardStream
from pm_orchestrator.cli.repl.interactive.log_browser import LogBrowser
from pm_orchestrator.cli.repl.interactive.plain_line import PlainLine
from pm_orchestrator.cli.repl.ui import Choice, ReplUi
from pm_orchestrator.cli.terminal.asking_page import permit_by, pick_by, say_allowed
from pm_orchestrator.cli.terminal.live_line import LiveLine
from pm_orchestrator.cli.terminal.progress import PlainProgress, Progress
from pm_orchestrator.cli.terminal.screen import Screen
from pm_orchestrator.domain.catalogue.repl_texts import tell
from pm_orchestrator.domain.company.asking import OpenChoice, Permit, Wish
from pm_orchestrator.domain.text import Lang

YES_OR_NO = ("yes", "no")


class OpenQuestion:
    """One question that a task waits with."""

    def __init__(self, text: str, options: tuple[str, ...], *, at_work: bool = False) -> None:
        self.text = text
        self.options = options
        self.at_work = at_work
        """The executor waits for the answer; who leaves the question stops the work."""
        self.answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    @property
    def selectable(self) -> bool:
        """Whether an answer is picked from a list; a yes to something dangerous is typed."""
        return bool(self.options) and self.options != YES_OR_NO


class TerminalUi(ReplUi):
    """Asks with keys where the terminal can draw, and with plain lines where it cannot."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self.plain = is_dumb_terminal()
        """A terminal that can only print one line after the other."""
        self.line = PlainLine(screen)
        """How such a terminal is read."""
        self.live = LiveLine()
        self.stream = HeardStream(screen, self.live)
        self.question: OpenQuestion | None = None
        self.asked: Callable[[], None] = _nobody
        """Told that a question has come, or gone."""

    @property
    @override
    def lang(self) -> Lang:
        return self._screen.lang

    @property
    @override
    def attended(self) -> bool:
        return True

    @override
    def progress(self) -> Progress:
        return PlainProgress(self._screen, folded=self.stream.folded) if self.plain else self.stream

    @override
    async def permit(self, wish: Wish) -> Permit:
        return await permit_by(self._answer_at_work, self._screen, wish)

    @override
    async def pick(self, choice: OpenChoice) -> str:
        return await pick_by(self._answer_at_work, self._screen, choice)

    @override
    def allowed_from_now_on(self, rules: tuple[str, ...]) -> None:
        say_allowed(self._screen, rules)

    async def _answer_at_work(self, question: str, options: tuple[str, ...]) -> str:
        return await self._put(OpenQuestion(question, options, at_work=True))

    @override
    async def answer(self, question: str, options: tuple[str, ...]) -> str:
        return await self._put(OpenQuestion(question, options))

    async def _put(self, put: OpenQuestion) -> str:
        # The conversation reads all input, so it puts the question as well.
        self.question = put
        self.asked()
        try:
            return await put.answer
        finally:
            self.question = None
            self.asked()

    @override
    def left_waiting(self, task_id: str) -> None:
        self._screen.line(tell("question_waits", self._screen.lang, task=task_id))

    @override
    async def choose(
        self, title: str, choices: Sequence[Choice], *, current: str | None, instead: str
    ) -> str | None:
        if self.plain:
            return await self._choose_by_number(title, choices)
        footer = tell("choose_keys", self._screen.lang)
        return await Chooser(title, choices, current=current, footer=footer).run()

    @override
    async def browse_logs(self, pages: LogPages) -> bool:
        if self.plain or not pages.ids:
            return False
        await LogBrowser(pages, self._screen.lang).run()
        return True

    async def _choose_by_number(self, title: str, choices: Sequence[Choice]) -> str | None:
        self._screen.line(title)
        for number, choice in enumerate(choices, start=1):
            self._screen.line(f"  {number}  {choice.value}  {choice.label}")
        prompt = tell("choose_number", self._screen.lang)
        typed = await self.line.read([("", prompt)]) or ""
        number = int(typed) if typed.strip().isdecimal() else 0
        return choices[number - 1].value if 0 < number <= len(choices) else None


def _nobody() -> None:
    """Before the conversation has begun."""
