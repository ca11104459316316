"""Reading the logs of a project, in a shell or in a conversation."""

from msgspec.structs import replace

from pm_orchestrator.cli.pages.ends.end_details import details_paint
from pm_orchestrator.cli.pages.logs.log_told import told_lines
from pm_orchestrator.cli.pages.logs.log_views import LogRequest, LogViews
from pm_orchestrator.cli.terminal.screen import Screen
from pm_orchestrator.domain.history.task_log import TaskLog
from pm_orchestrator.runner.project.project import Project
from pm_orchestrator.runner.sessions.open_session import OpenSession
from pm_orchestrator.runner.sessions.task_finding import find_task
from pm_orchestrator.runner.tasks.end_on_record import facts_on_record, last_words


class LogReading:
    """The logs of a project on one screen; `held` is the session that is looked at first."""

    def __init__(self, project: Project, screen: Screen, held: OpenSession | None = None) -> None:
        self._project = project
        self._screen = screen
        self._held = held

    def views(self, session_id: str) -> LogViews:
        """The pages of one session."""
        mine = self._held is not None and self._held.session_id == session_id
        book = self._held.book if mine and self._held is not None else self._project.book
        return LogViews(book, session_id, self._screen.mask, self._told)

    def show(self, request: LogRequest, session_id: str) -> None:
        """Print what was asked for; a task of another session is found as well.

        Raises:
            PmError: E210 for a task that is unknown, E204 where tasks and logs disagree.
        """
        if request.task is not None:
            session_id, task_id = find_task(self._project.book, request.task, session_id)
            request = replace(request, task=task_id)
        views = self.views(session_id)
        if request.form == "json":
            self._screen.data(views.data(request.task))
        else:
            self._screen.page(views.show(request), details_paint)

    def _told(self, log: TaskLog) -> list[str]:
        found = facts_on_record(self._project, log)
        gates = None if found is None else found.facts.gates
        return told_lines(last_words(log), gates, self._screen.lang)
