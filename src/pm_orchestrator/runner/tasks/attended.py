"""A task that asks, with a person there: the question is put to them there and then.

Nothing is held meanwhile: session and directory are free, and the answer may as well
come from another terminal. Where nobody is there, nothing waits.
"""

from collections.abc import AsyncGenerator, Awaitable
from contextlib import AbstractContextManager, asynccontextmanager
from typing import Protocol

from msgspec.structs import replace

from pm_orchestrator.domain.errors import NeedsPersonError, PmError
from pm_orchestrator.domain.history.report import RunResult
from pm_orchestrator.domain.history.run_events import RunEvent
from pm_orchestrator.domain.tasks.task import TaskResult
from pm_orchestrator.domain.text import Lang
from pm_orchestrator.ports.executor import Person
from pm_orchestrator.runner.instructions.clarification import options_of
from pm_orchestrator.runner.project.crew import TaskOptions
from pm_orchestrator.runner.project.project import Project
from pm_orchestrator.runner.project.project_sessions import (
    directory_to_itself,
    owned,
    task_meant,
)
from pm_orchestrator.runner.sessions.continuation import continuation
from pm_orchestrator.runner.sessions.open_session import OpenSession
from pm_orchestrator.runner.tasks.at_work import AskedAtWork
from pm_orchestrator.runner.tasks.run_task import continue_task, reply_task


class EventDisplay(Protocol):
    """Shows what happens in one run."""

    def show(self, event: RunEvent) -> None: ...


class Attendant(Person, Protocol):
    """Whoever sits before a task: sees how it goes on, and can be asked, while it runs too."""

    @property
    def lang(self) -> Lang: ...

    @property
    def attended(self) -> bool:
        """Whether somebody is there who sees a question and can answer it."""
        ...

    def progress(self) -> AbstractContextManager[EventDisplay]:
        """What shows one task while it runs."""
        ...

    async def answer(self, question: str, options: tuple[str, ...]) -> str:
        """The person's answer; empty when they leave the question."""
        ...

    def allowed_from_now_on(self, rules: tuple[str, ...]) -> None:
        """Say what the settings allow now."""
        ...

    def left_waiting(self, task_id: str) -> None:
        """Say how the task can be answered later."""
        ...


class TaskCall(Protocol):
    """Something that ends a task: `run_task` and its like, but for the options."""

    def __call__(self, options: TaskOptions, /) -> Awaitable[RunResult]: ...


class AttendedTask:
    """One task with all its questions."""

    def __init__(
        self,
        project: Project,
        attendant: Attendant,
        *,
        options: TaskOptions,
        session: OpenSession | None = None,
    ) -> None:
        self._project = project
        self._attendant = attendant
        self._options = options
        self._session = session
        self.last: TaskResult | None = None
        """How the task ended last; None where it has not begun."""
        self._at_work = AskedAtWork(attendant)

    async def run(self, call: TaskCall) -> RunResult:
        """Make the call, and go on with every answer that is given here.

        Raises:
            NeedsPersonError: a question that was not answered; the task waits for it.
            PmError: as the call.
        """
        while True:
            self.last = None
            try:
                with self._attendant.progress() as progress:
                    options = self._options.copy()
                    options["watch"], options["ended"] = progress.show, self._note
                    if self._attendant.attended:
                        options["attended"], options["person"] = True, self._at_work
                    try:
                        end = await call(options)
                    finally:
                        await self._keep_rules()
                    return await self._seen(end)
            except NeedsPersonError as question:
                call = await self._answered(question)

    async def _keep_rules(self) -> None:
        """What was allowed always is written down once nobody works who could be blamed for it."""
        rules, last = self._at_work.rules, self.last
        if not rules or last is None:
            return
        from pm_orchestrator.runner.project.allowed_tools import allow_always

        try:
            async with directory_to_itself(self._project, self._session):
                where, _ = task_meant(self._project, last.task_id, self._session)
                session_id = where if isinstance(where, str) else where.session_id
                new = await allow_always(self._project, rules, session_id, last.task_id)
        except PmError:
            # Somebody else is at work by now; it was allowed for this task all the same.
            return
        rules.clear()
        if new:
            self._attendant.allowed_from_now_on(new)

    async def _seen(self, end: RunResult) -> RunResult:
        """With the lines that came and went, where there are any."""
        if not end.changes:
            return end
        from pm_orchestrator.runner.tasks.task_diff import lines_of

        return replace(end, lines=await lines_of(self._project, end))

    async def going_on(self, session: OpenSession) -> TaskCall:
        """What goes on with a session's task: itself, or the answer that stands in its way.

        Raises:
            PmError: E207 when it cannot go on, or its question was left.
        """
        from pm_orchestrator.runner.sessions.session_view import view

        try:
            continuation(session)
        except PmError as error:
            shown = view(session.book, session.session_id)
            task, question = shown.waiting_task_id, shown.next_action_reason
            if error.slug == "waits_for_answer" and task is not None:
                answered = await self._ask(task, question)
                if answered is not None:
                    return answered
            raise
        return lambda options: continue_task(self._project, session, **options)

    async def _ask(
        self, task_id: str, question: str, options: tuple[str, ...] = ()
    ) -> TaskCall | None:
        """Put a question to the person; how the task goes on, or None for no answer."""
        if not self._attendant.attended:
            return None
        async with self._answer_awaited(task_id):
            text = await self._attendant.answer(question, options)
        if not text:
            self._attendant.left_waiting(task_id)
            return None
        session = self._session
        return lambda options: reply_task(self._project, task_id, text, session=session, **options)

    @asynccontextmanager
    async def _answer_awaited(self, task_id: str) -> AsyncGenerator[None]:
        """While a person is asked, the session's record says what everything waits for."""
        where, _ = task_meant(self._project, task_id, self._session)
        async with owned(self._project, where) as mine:
            await mine.await_answer()
        try:
            yield
        finally:
            async with owned(self._project, where) as mine:
                await mine.refresh()

    def _note(self, result: TaskResult) -> None:
        self.last = result
        told = self._options.get("ended")
        if told is not None:
            told(result)

    async def _answered(self, question: NeedsPersonError) -> TaskCall:
        last = self.last
        # One that was declined is not asked again; a new instruction is a new task.
        if last is None or not last.clarification_needed or question.slug == "declined":
            raise question
        if self._at_work.left:
            # They left it while it was put by the executor itself.
            self._at_work.left = False
            self._attendant.left_waiting(last.task_id)
            raise question
        said = question.what(self._attendant.lang)
        call = await self._ask(last.task_id, said, options_of(question))
        if call is None:
            raise question
        return call
