"""A task that asks, with a person at the terminal: the question is put there and then.

Nothing is held meanwhile: session and directory are free, and the answer may as well
come from another terminal. Where nobody is there, nothing waits.
"""

from collections.abc import Awaitable
from typing import Protocol

from pm_orchestrator.bootstrap.answering import answer_awaited
from pm_orchestrator.bootstrap.application import Application
from pm_orchestrator.bootstrap.crew import TaskOptions
from pm_orchestrator.bootstrap.tasks import continue_task, reply_task
from pm_orchestrator.cli.pages.task_page import show_failed
from pm_orchestrator.cli.terminal.desk import Desk, ScreenDesk
from pm_orchestrator.cli.terminal.screen import Screen
from pm_orchestrator.domain.errors import NeedsPersonError, PmError
from pm_orchestrator.domain.history.report import RunResult
from pm_orchestrator.domain.record import to_file
from pm_orchestrator.domain.tasks.task import TaskResult
from pm_orchestrator.runner.instructions.clarification import options_of
from pm_orchestrator.runner.sessions.continuation import continuation
from pm_orchestrator.runner.sessions.open_session import OpenSession
from pm_orchestrator.runner.sessions.session_view import view


class Work(Protocol):
    """Something that ends a task: `run_task` and its like, but for the options."""

    def __call__(self, options: TaskOptions, /) -> Awaitable[RunResult]: ...


class AttendedTask:
    """One task with all its questions."""

    def __init__(
        self,
        app: Application,
        screen: Screen,
        *,
        options: TaskOptions,
        as_json: bool = False,
        session: OpenSession | None = None,
        desk: Desk | None = None,
    ) -> None:
        self._app = app
        self._screen = screen
        self._options = options
        self._as_json = as_json
        self._session = session
        self._alone = desk is None
        """A single command; a conversation sums up its tasks itself."""
        self._desk = desk or ScreenDesk(screen, quiet=as_json)
        self._last: TaskResult | None = None

    async def run(self, work: Work) -> RunResult:
        """Do `work`, and go on with every answer that is given here.

        Raises:
            NeedsPersonError: a question that was not answered; the task waits for it.
            PmError: as `work`.
        """
        try:
            return await self._run(work)
        except PmError as error:
            # Whoever reads the output learns how the task ended, and what it asks.
            if self._as_json and self._last is not None:
                self._screen.raw(to_file(self._last).decode().rstrip())
            elif self._alone and self._last is not None:
                form = self._app.settings.ui.summary_format
                show_failed(self._screen, error, self._last, form)
            raise

    async def _run(self, work: Work) -> RunResult:
        while True:
            self._last = None
            try:
                with self._desk.progress() as progress:
                    options = self._options.copy()
                    options["watch"], options["ended"] = progress.show, self._note
                    options["attended"] = self._desk.attended
                    return await work(options)
            except NeedsPersonError as question:
                work = await self._answered(question)

    async def going_on(self, session: OpenSession) -> Work:
        """What goes on with a session's task: itself, or the answer that stands in its way.

        Raises:
            PmError: E207 when it cannot go on, or its question was left.
        """
        try:
            continuation(session)
        except PmError as error:
            shown = view(session.book, session.session_id)
            task, question = shown.waiting_task_id, shown.next_action_reason
            if error.slug == "waits_for_answer" and task is not None and question is not None:
                answered = await self.ask(task, question)
                if answered is not None:
                    return answered
            raise
        return lambda options: continue_task(self._app, session, **options)

    async def ask(self, task_id: str, question: str, options: tuple[str, ...] = ()) -> Work | None:
        """Put a question to the person; how the task goes on, or None for no answer."""
        if not self._desk.attended:
            return None
        async with answer_awaited(self._app, task_id, self._session):
            text = await self._desk.answer(question, options)
        if not text:
            self._desk.left_waiting(task_id)
            return None
        session = self._session
        return lambda options: reply_task(self._app, task_id, text, session=session, **options)

    def _note(self, result: TaskResult) -> None:
        self._last = result
        told = self._options.get("ended")
        if told is not None:
            told(result)

    async def _answered(self, question: NeedsPersonError) -> Work:
        last = self._last
        # One that was declined is not asked again; a new instruction is a new task.
        if last is None or not last.clarification_needed or question.slug == "declined":
            raise question
        said = question.what(self._screen.lang)
        work = await self.ask(last.task_id, said, options_of(question))
        if work is None:
            raise question
        return work
