"""What a command may ask of the person at the terminal; a script has none."""

from collections.abc import Sequence
from typing import Protocol

import msgspec
from typing_extensions import override

from pm_orchestrator.cli.pages.logs.browsable_logs import LogPages
from pm_orchestrator.cli.terminal.progress import NoProgress, Progress
from pm_orchestrator.domain.company.asking import OpenChoice, Permit, Wish
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.text import Lang
from pm_orchestrator.runner.tasks.attended import Attendant


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a selection."""

    value: str
    label: str
    """What is shown behind the value."""


class ReplUi(Attendant, Protocol):
    """The person's side of the conversation."""

    async def choose(
        self, title: str, choices: Sequence[Choice], *, current: str | None, instead: str
    ) -> str | None:
        """Let the person pick one with the arrow keys; None when they leave it.

        Raises:
            PmError: E210 where nobody can pick; it names `instead`, the form with an argument.
        """
        ...

    async def browse_logs(self, pages: LogPages) -> bool:
        """Let the person look through the logs; False where the list has to be printed."""
        ...


class ScriptUi(ReplUi):
    """Nobody is there."""

    @property
    @override
    def lang(self) -> Lang:
        return "en"

    @property
    @override
    def attended(self) -> bool:
        return False

    @override
    def progress(self) -> Progress:
        return NoProgress()

    @override
    async def answer(self, question: str, options: tuple[str, ...]) -> str:
        return ""

    @override
    async def permit(self, wish: Wish) -> Permit:
        return Permit(decision="nobody")

    @override
    async def pick(self, choice: OpenChoice) -> str:
        return ""

    @override
    def allowed_from_now_on(self, rules: tuple[str, ...]) -> None:
        """Nobody allowed anything."""

    @override
    def left_waiting(self, task_id: str) -> None:
        """The summary of the task names the command."""

    @override
    async def choose(
        self, title: str, choices: Sequence[Choice], *, current: str | None, instead: str
    ) -> str | None:
        raise PmError("needs_terminal", command=instead)

    @override
    async def browse_logs(self, pages: LogPages) -> bool:
        return False
