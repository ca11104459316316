"""One REPL: the current session, the tasks it ran, and what the shell will be told."""

from collections.abc import Coroutine, Iterable
from typing import Any

from pm_orchestrator.bootstrap.acceptance import accept_task
from pm_orchestrator.bootstrap.application import Application
from pm_orchestrator.bootstrap.sessions import recovered, sessions_of, start_session
from pm_orchestrator.bootstrap.solo import continue_solo, reply_solo, run_solo
from pm_orchestrator.cli.screen import Screen
from pm_orchestrator.cli.task_page import show_end
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.status import EXIT_ERROR, TaskStatus, aggregate, exit_code
from pm_orchestrator.domain.supervision import WatchLimits
from pm_orchestrator.runner.open_session import OpenSession
from pm_orchestrator.runner.task_life import TaskEnd


class Conversation:
    """State shared by the commands."""

    def __init__(self, app: Application, screen: Screen, timers: WatchLimits) -> None:
        self.app = app
        self.screen = screen
        self._timers = timers
        self._session: OpenSession | None = None
        self.finished = False
        self._statuses: dict[str, TaskStatus] = {}
        self._command_failed = False

    async def start(self) -> OpenSession:
        """Begin a new session and make it the current one."""
        await self.leave()
        self._session = await start_session(self.app)
        return self._session

    async def go_on(self, session_id: str) -> None:
        """Make an approved session the current one and go on with its unfinished task."""
        session = await self.take(session_id)
        await self._show(continue_solo(self.app, session, timers=self._timers))

    async def take(self, session_id: str) -> OpenSession:
        """Make an existing session the current one; the one before is kept where that fails."""
        if self._session is None or self._session.session_id != session_id:
            await recovered(self.app)
            taken = await sessions_of(self.app).open(session_id)
            await self.leave()
            self._session = taken
        return self._session

    async def leave(self) -> None:
        """Let go of the current session."""
        if self._session is not None:
            await self._session.leave()
            self._session = None

    def current_session(self) -> OpenSession:
        """The session in use.

        Raises:
            PmError: E210 when there is none yet.
        """
        if self._session is None:
            raise PmError("no_session")
        return self._session

    async def work(self, instruction: str) -> None:
        """Run one instruction and print how it ended, before anything else is read."""
        session = self.current_session()
        await self._show(run_solo(self.app, instruction, session=session, timers=self._timers))

    async def reply(self, task_id: str, text: str) -> None:
        """Answer a task of the current session."""
        session = self.current_session()
        await self._show(reply_solo(self.app, task_id, text, session=session, timers=self._timers))

    async def accept(self, task_id: str) -> None:
        """Settle what keeps a task of the current session from being complete."""
        await self._show(accept_task(self.app, task_id, session=self.current_session()))

    async def _show(self, work: Coroutine[Any, Any, TaskEnd]) -> None:
        end = await work
        # One verdict per task: a later one takes the place of the one before.
        self._statuses[end.task_id] = end.status
        show_end(self.screen, end, as_json=False)

    def fail(self, error: PmError) -> None:
        """A command that could not be carried out; the next one still is."""
        self._command_failed = True
        self.screen.error(error)

    def exit_code(self) -> int:
        """Error over incomplete over complete; no task at all is fine."""
        if self._command_failed:
            return EXIT_ERROR
        return exit_code(aggregate(self._statuses.values())) if self._statuses else 0


def lines_of(source: Iterable[str]) -> Iterable[str]:
    """Input lines without their ends; empty ones say nothing."""
    return (stripped for line in source if (stripped := line.strip()))
