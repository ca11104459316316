"""One REPL: the current session, the tasks it ran, and what the shell will be told."""

from collections.abc import Iterable

from pm_orchestrator.bootstrap.application import Application
from pm_orchestrator.bootstrap.solo import run_solo, start_session
from pm_orchestrator.cli.screen import Screen
from pm_orchestrator.cli.summary import summary_block
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.status import EXIT_ERROR, TaskStatus, aggregate, exit_code


class Conversation:
    """State shared by the commands."""

    def __init__(self, app: Application, screen: Screen) -> None:
        self.app = app
        self.screen = screen
        self.session_id: str | None = None
        self.finished = False
        self._statuses: list[TaskStatus] = []
        self._command_failed = False

    async def start(self) -> str:
        """Begin a new session and make it the current one."""
        self.session_id = await start_session(self.app)
        return self.session_id

    def current_session(self) -> str:
        """The session in use.

        Raises:
            PmError: E210 when there is none yet.
        """
        if self.session_id is None:
            raise PmError("no_session")
        return self.session_id

    async def work(self, instruction: str) -> None:
        """Run one instruction and print how it ended, before anything else is read."""
        session = self.current_session()
        end = await run_solo(self.app, instruction, session_id=session)
        self._statuses.append(end.status)
        block = summary_block(
            end.task_id, end.status, end.reason.say(self.screen.lang), self.screen.lang
        )
        self.screen.line(block)

    def fail(self, error: PmError) -> None:
        """A command that could not be carried out; the next one still is."""
        self._command_failed = True
        self.screen.error(error)

    def exit_code(self) -> int:
        """Error over incomplete over complete; no task at all is fine."""
        if self._command_failed:
            return EXIT_ERROR
        return exit_code(aggregate(self._statuses)) if self._statuses else 0


def lines_of(source: Iterable[str]) -> Iterable[str]:
    """Input lines without their ends; empty ones say nothing."""
    return (stripped for line in source if (stripped := line.strip()))
