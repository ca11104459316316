"""A command that ends a task: the person is asked on the way, and shown how it ended."""

from pm_orchestrator.cli.ending import show_end
from pm_orchestrator.cli.pages.summary import summary_paint
from pm_orchestrator.cli.pages.task_page import failed_page
from pm_orchestrator.cli.terminal.screen import Screen
from pm_orchestrator.cli.terminal.screen_attendant import ScreenAttendant
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.report import RunResult
from pm_orchestrator.domain.history.task_log import TaskLog
from pm_orchestrator.domain.tasks.status import EXIT_INCOMPLETE, exit_code
from pm_orchestrator.evidence.records.open_log import TERMINAL
from pm_orchestrator.runner.project.crew import TaskOptions
from pm_orchestrator.runner.project.project import Project
from pm_orchestrator.runner.records.interruption import TaskInterruptedError
from pm_orchestrator.runner.records.task_result import spent_in, task_result
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
        except TaskInterruptedError as stop:
            self._show_stopped(stop)
            raise
        self.show(end)
        return exit_code(end.status)

    async def go_on(self, session: OpenSession) -> int:
        """The same for the unfinished task of an approved session."""
        return await self.run(await self._task.going_on(session))

    def show(self, end: RunResult) -> None:
        """The whole result as data, or the page of it."""
        if self._as_json:
            from pm_orchestrator.cli.command_end import judged

            self._screen.data(judged(end))
            return
        show_end(self._screen, self._project, end, self._project.settings.ui.summary_format)

    def _show_failed(self, error: PmError) -> None:
        """Whoever reads the output learns how the task ended, and what it asks."""
        last = self._task.last
        if last is None:
            return
        if self._as_json:
            from pm_orchestrator.cli.command_end import failed
            from pm_orchestrator.runner.project.spent_on_models import spent_by_task

            log = self._log(last.task_id)
            spent = spent_by_task(self._project, log.task_id, spent_in(log))
            self._screen.data(failed(error, self._screen.lang, last, log, spent))
            return
        form = self._project.settings.ui.summary_format
        screen = self._screen
        screen.page(failed_page(error, last, form, screen.lang, screen.spelling), summary_paint)

    def _show_stopped(self, stop: TaskInterruptedError) -> None:
        """People are told below; a program gets what has become of the task."""
        if not self._as_json:
            return
        from pm_orchestrator.cli.command_end import stopped

        log = self._log(stop.task_id)
        result = task_result(log) if log.status in TERMINAL else None
        self._screen.data(stopped(result, log, EXIT_INCOMPLETE))

    def _log(self, task_id: str) -> TaskLog:
        from pm_orchestrator.runner.sessions.task_finding import find_task

        where = find_task(self._project.book, task_id)
        return self._project.book.read(where.session_id, where.task_id)
