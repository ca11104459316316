"""One REPL: the current session, the tasks it ran, and what the shell will be told."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from pm_orchestrator.bootstrap.environment import Environment
from pm_orchestrator.cli.pages.summary import SummaryFormat, summary_paint
from pm_orchestrator.cli.repl.ui import ReplUi, ScriptUi
from pm_orchestrator.cli.terminal.screen import Screen
from pm_orchestrator.domain.cancelling import is_being_stopped
from pm_orchestrator.domain.company.supervision import WatchLimits
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.tasks.status import TaskStatus, aggregate, exit_code
from pm_orchestrator.domain.tasks.task import AskedLimits, TaskResult

if TYPE_CHECKING:
    from pm_orchestrator.evidence.records.log_book import TaskLogBook
    from pm_orchestrator.runner.project.project import Project
    from pm_orchestrator.runner.records.execution_record import Spoken
    from pm_orchestrator.runner.sessions.open_session import OpenSession
    from pm_orchestrator.runner.tasks.attended import AttendedTask, TaskCall


class Conversation:
    """State shared by the commands. What runs tasks is imported when the first one runs."""

    def __init__(
        self,
        project: Path,
        environment: Environment,
        screen: Screen,
        *,
        timers: WatchLimits | None = None,
        ui: ReplUi | None = None,
        form: SummaryFormat | None = None,
    ) -> None:
        self.project = project
        self.environment = environment
        self.screen = screen
        self.ui: ReplUi = ui or ScriptUi()
        self.finished = False
        self._opened: Project | None = None
        self._timers = timers
        self._form: SummaryFormat | None = form
        self._session: OpenSession | None = None
        self._statuses: dict[str, TaskStatus] = {}
        self._failures: list[TaskStatus] = []
        self._ended: TaskResult | None = None
        self.limits: AskedLimits | None = None
        """What the person allows the tasks from now on, instead of what the settings do."""
        self._forgotten: str | None = None
        """The task up to which the executor's conversation is not gone on with."""
        self.acceptable: str | None = None
        """The task that ended last, where a person may settle it."""
        self.asked: str | None = None
        """What the executor asked with its last words."""

    @property
    def is_project(self) -> bool:
        """Whether the directory has been initialised."""
        return self._opened is not None

    @property
    def opened(self) -> "Project":
        """The opened project.

        Raises:
            PmError: E101 while there is none.
        """
        if self._opened is None:
            raise PmError("no_claude_dir_repl", path=self.project)
        return self._opened

    def use(self, opened: "Project") -> None:
        """The directory has become a project."""
        self._opened = opened

    @property
    def session_id(self) -> str | None:
        """The session in use, if there is one."""
        return None if self._session is None else self._session.session_id

    @property
    def session(self) -> "OpenSession | None":
        """The same, as it is held."""
        return self._session

    async def start(self) -> "OpenSession":
        """Begin a new session and make it the current one.

        Raises:
            PmError: E211 for a selection that cannot work; the session in use is kept.
        """
        from pm_orchestrator.runner.project.selecting import ready_selection, start_selected_session

        ready_selection(self.opened)
        await self.leave()
        self._session = await start_selected_session(self.opened)
        return self._session

    async def go_on(self, session_id: str | None) -> None:
        """Make a session the current one and go on with its unfinished task.

        A person at a terminal says by that that it may; a script has to approve first. Without
        a name it is the session in use, or else the latest that left something unfinished.
        """
        session = await self.take(session_id or await self._left_unfinished())
        if self.ui.attended:
            await self._approve(session)
        attended = self._attended(session)
        await self._show(attended, await attended.going_on(session))

    async def _approve(self, session: "OpenSession") -> None:
        from pm_orchestrator.runner.project.project_sessions import approve_session

        try:
            await approve_session(self.opened, session)
        except PmError as error:
            # An open question is asked, and its answer is what allows going on.
            if error.slug != "waits_for_answer":
                raise

    async def _left_unfinished(self) -> str:
        from pm_orchestrator.runner.project.project_sessions import recovered

        current = self._session
        await recovered(self.opened, current)
        if current is not None and current.unfinished():
            return current.session_id
        book = self.opened.book
        found = next((s for s in reversed(book.session_ids()) if book.unfinished(s)), None)
        if found is None:
            raise PmError("nothing_unfinished", session=self.session_id or "-")
        return found

    async def take(self, session_id: str) -> "OpenSession":
        """Make an existing session the current one; the one before is kept where that fails."""
        from pm_orchestrator.runner.project.project_sessions import recovered, sessions_of

        if self._session is None or self._session.session_id != session_id:
            await recovered(self.opened)
            taken = await sessions_of(self.opened).open(session_id)
            await self.leave()
            self._session = taken
        return self._session

    async def leave(self) -> None:
        """Let go of the current session."""
        if self._session is not None:
            await self._session.leave()
            self._session = None

    def current_session(self) -> "OpenSession":
        """The session in use.

        Raises:
            PmError: E210 when there is none yet.
        """
        if self._session is None:
            raise PmError("no_session")
        return self._session

    def looked_at(self) -> "tuple[TaskLogBook, str]":
        """The session that is meant by whoever only looks: for a person also the latest one.

        Raises:
            PmError: E210 when there is none.
        """
        latest = None
        if self._session is None and self.ui.attended:
            latest = self.opened.book.latest_session()
        if latest is not None:
            return self.opened.book, latest
        session = self.current_session()
        return session.book, session.session_id

    async def work(self, instruction: str) -> None:
        """Run one instruction and print how it ended, before anything else is read."""
        from pm_orchestrator.runner.tasks.run_task import run_task

        self.screen.hear(instruction)
        from pm_orchestrator.runner.sessions.spoken_last import spoken_in_session

        if self.asked is not None:
            from pm_orchestrator.runner.instructions.answered import as_answer

            instruction = as_answer(instruction, self.asked)

        if self._session is None and self.ui.attended:
            await self.start()
        session = self.current_session()
        spoken = spoken_in_session(session.book, session.session_id, self._forgotten)
        await self._show(
            self._attended(session, spoken),
            lambda options: run_task(self.opened, instruction, session=session, **options),
        )

    async def reply(self, task_id: str, text: str) -> None:
        """Answer a task, of whatever session."""
        from pm_orchestrator.runner.tasks.run_task import reply_task

        session = self._holder_of(task_id)
        await self._show(
            self._attended(session),
            lambda options: reply_task(self.opened, task_id, text, session=session, **options),
        )

    async def accept(self, task_id: str) -> None:
        """Settle what keeps a task, of whatever session, from being complete."""
        from pm_orchestrator.runner.tasks.accept import accept_task

        session = self._holder_of(task_id)
        await self._show(
            self._attended(session), lambda _: accept_task(self.opened, task_id, session=session)
        )

    def last_task(self) -> str:
        """The task that began last: of the session that is meant, or else of the project.

        Raises:
            PmError: E210 where there is none.
        """
        from pm_orchestrator.runner.tasks.task_diff import last_task

        book, session_id = self.looked_at()
        begun = (e for e in reversed(book.entries(session_id)) if e.parent_task_id is None)
        last = next(begun, None)
        return last_task(self.opened) if last is None else last.external_task_id

    def _holder_of(self, task_id: str) -> "OpenSession | None":
        """The session in use, where the task is its own; another one is opened for the task."""
        if not self.ui.attended:
            return self.current_session()
        session = self._session
        mine = session is not None and _has_task(session.book, session.session_id, task_id)
        return session if mine else None

    def forget(self) -> None:
        """Have the next instruction begin a conversation of its own with the executor."""
        session = self.current_session()
        entries = session.book.entries(session.session_id)
        self._forgotten = entries[-1].external_task_id if entries else None

    def _attended(
        self, session: "OpenSession | None", spoken: "Spoken | None" = None
    ) -> "AttendedTask":
        from pm_orchestrator.runner.project.crew import TaskOptions
        from pm_orchestrator.runner.tasks.attended import AttendedTask

        timers, limits = self._timers, self.limits
        if timers is not None and limits is not None and limits.seconds is not None:
            # Said later and more exactly than the time that the REPL was started with.
            timers = replace(timers, seconds=float(limits.seconds))
        options = TaskOptions(timers=timers, limits=limits, ended=self._note, spoken=spoken)
        return AttendedTask(self.opened, self.ui, options=options, session=session)

    async def _show(self, attended: "AttendedTask", call: "TaskCall") -> None:
        from pm_orchestrator.cli.ending import show_end
        from pm_orchestrator.cli.pages.task_page import failed_page, stopped_page
        from pm_orchestrator.runner.records.interruption import TaskInterruptedError

        self._ended, self.acceptable, self.asked = None, None, None
        lang, spelling = self.screen.lang, self.screen.spelling
        form = self._form or self.opened.settings.ui.summary_format
        try:
            end = await attended.run(call)
        except PmError as error:
            if self._ended is None:
                raise
            # The task began and has its verdict; the command itself did what it should.
            self.screen.error(error)
            page = failed_page(error, self._ended, form, lang, spelling)
            self.screen.page(page, summary_paint)
            if is_being_stopped():
                # What it ended with weighs more; but no other task begins.
                raise asyncio.CancelledError from error
            return
        except TaskInterruptedError as stopped:
            self.screen.page(stopped_page(stopped, form, lang, spelling), summary_paint)
            raise
        if end.result is not None:
            self._note(end.result)
        self.acceptable = end.task_id if end.acceptable else None
        if self.ui.attended and end.claim is not None:
            from pm_orchestrator.runner.instructions.answered import question_at_end

            self.asked = question_at_end(end.claim.summary)
        show_end(self.screen, self.opened, end, form)

    def _note(self, result: TaskResult) -> None:
        """One verdict per task: a later one takes the place of the one before."""
        self._ended = result
        self._statuses[result.task_id] = result.status

    def fail(self, error: PmError) -> None:
        """A command that could not be carried out; the next one still is."""
        waits = error.is_unfinished
        self._failures.append(TaskStatus.INCOMPLETE if waits else TaskStatus.ERROR)
        self.screen.error(error)

    def fail_with(self, *lines: str) -> None:
        """The same, with words that are given."""
        self._failures.append(TaskStatus.ERROR)
        for line in lines:
            self.screen.aside(line)

    def exit_code(self) -> int:
        """Error over incomplete over complete, of tasks and commands; neither at all is fine."""
        found = (*self._statuses.values(), *self._failures)
        return exit_code(aggregate(found)) if found else 0


def _has_task(book: "TaskLogBook", session_id: str, task_id: str) -> bool:
    entries = book.entries(session_id)
    return any(task_id in (entry.task_id, entry.external_task_id) for entry in entries)
