"""A command that ends a task: the person is asked on the way, and shown how it ended."""

from pm_orchestrator.cli.ending import show_end
from pm_orchestrator.cli.pages.task_page import failed_page
from pm_orchestrator.cli.terminal.screen import Screen
from pm_orchestrator.cli.terminal.screen_attendant import ScreenAttendant
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.report import RunResult
from pm_orchestrator.domain.tasks.status import exit_code
from pm_orchestrator.runner.project.crew import TaskOptions
from pm_orchestrator.runner.project.project import Project
from pm_orchestrator.runner.sessions.open_session import OpenSession
from pm_orchestrator.runner.tasks.attended import AttendedTask, TaskCall


class TaskCommand:
    """One task with all its questions, as a single command has it done."""

    def __init__(
        self,
        project: Project,
        screen: Screen,
        *,
        as_json: bool,
        options: TaskOptions | None = None,
        session: OpenSession | None = None,
    ) -> None:
        self._project = project
        self._screen = screen
        self._as_json = as_json
        folded = project.settings.ui.stream == "folded"
        attendant = ScreenAttendant(screen, quiet=as_json, folded=folded)
        self._task = AttendedTask(
            project, attendant, options=options or TaskOptions(), session=session
        )

    async def run(self, call: TaskCall) -> int:
        """Make the call, show how the task ended, and return what the shell is told.

        Raises:
            PmError: as the call; where the task has begun, its end was shown.
        """
        try:
            end = await self._task.run(call)
        except PmError as error:
            self._show_failed(error)
            raise
        self.show(end)
        return exit_code(end.status)

    async def go_on(self, session: OpenSession) -> int:
        """The same for the unfinished task of an approved session."""
        return await self.run(await self._task.going_on(session))

    def show(self, end: RunResult) -> None:
        """The whole result as data, or the page of it."""
        if self._as_json:
            self._screen.data(end)
            return
        show_end(self._screen, self._project, end, self._project.settings.ui.summary_format)

    def _show_failed(self, error: PmError) -> None:
        """Whoever reads the output learns how the task ended, and what it asks."""
        last = self._task.last
        if last is None:
            return
        if self._as_json:
            self._screen.data(last)
            return
        form = self._project.settings.ui.summary_format
        screen = self._screen
        screen.line(failed_page(error, last, form, screen.lang, screen.spelling))
