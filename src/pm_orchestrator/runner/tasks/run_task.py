"""Tasks from an instruction to their end: run, reply, continue, resume. One way for every task."""

import asyncio
import traceback
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from msgspec.structs import replace
from typing_extensions import Unpack

from pm_orchestrator.domain.cancelling import to_its_end
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.report import RunResult
from pm_orchestrator.domain.history.session import RunTrigger
from pm_orchestrator.domain.history.task_log import TaskLog
from pm_orchestrator.domain.ids import iso
from pm_orchestrator.domain.tasks.task import TaskResult
from pm_orchestrator.evidence.records.open_log import OpenLog
from pm_orchestrator.evidence.records.run_log import RunLogs
from pm_orchestrator.ports.engine import StepFailedError
from pm_orchestrator.ports.recorder import PERSON
from pm_orchestrator.runner.layout import RunDirectory
from pm_orchestrator.runner.project.crew import Crew, Going, TaskOptions
from pm_orchestrator.runner.project.limits_in_force import limited
from pm_orchestrator.runner.project.project import Project
from pm_orchestrator.runner.project.project_sessions import ledger_of, owned, task_meant
from pm_orchestrator.runner.project.results import save_report, save_result
from pm_orchestrator.runner.project.retention import prune_quietly
from pm_orchestrator.runner.records.execution_record import Spoken, overrun_timer, spoken_in
from pm_orchestrator.runner.records.interruption import StoppedRunError, TaskInterruptedError
from pm_orchestrator.runner.records.notes import Notes
from pm_orchestrator.runner.records.task_life import StoppedWorkError
from pm_orchestrator.runner.records.task_result import task_result, unwritten_result
from pm_orchestrator.runner.records.task_run import TaskRun, Way, named_for, way_of
from pm_orchestrator.runner.run.seven_phases import carry_out
from pm_orchestrator.runner.run.steps import RunEnd
from pm_orchestrator.runner.sessions.continuation import (
    continuation,
    instruction_kept,
    is_invalid,
    takes_words,
)
from pm_orchestrator.runner.sessions.open_session import OpenSession

LISTENS_EVERY_S = 0.5


async def run_task(
    project: Project,
    instruction: str,
    *,
    way: Way = "solo",
    session: OpenSession | None = None,
    **options: Unpack[TaskOptions],
) -> RunResult:
    """Have one instruction carried out and judge the result.

    Raises:
        PmError: the task could not be started or could not go on; its log says so too.
    """
    project.masker.learn(instruction)
    own = limited(project, options.get("limits"))
    crew = own.crews(own, way, options)
    await crew.ready()
    async with crew.to_itself(session), owned(project, session) as mine:
        await prune_quietly(project)
        task = mine.new_task(project.paths.new_run().run_id, instruction, crew.name, way)
        if way == "solo":
            # A company has both in its order.
            task = replace(task, adapter=options.get("adapter"), model=options.get("model"))
        going = Going(instruction=instruction, conversation=_of(options.get("spoken"), crew))
        return await _TaskRun(own, crew, mine, task, options).end(going)


async def reply_task(
    project: Project,
    any_task_id: str,
    text: str,
    *,
    session: OpenSession | None = None,
    **options: Unpack[TaskOptions],
) -> RunResult:
    """Go on with a task that asked, or that ended unfinished, under its id with these words.

    Whoever names the task and says what is to be done has approved that it goes on.

    Raises:
        PmError: E210 for a task that is unknown or complete; otherwise as `run_task`.
    """
    project.masker.learn(text)
    where, task_id = task_meant(project, any_task_id, session)
    before = _log_of(project, where, task_id)
    own = limited(project, options.get("limits"), before)
    crew = _same_crew(own, before, options)
    async with crew.to_itself(session), owned(project, where) as mine:
        log = mine.book.read(mine.session_id, task_id)
        if is_invalid(log):
            raise PmError("invalid_stays", task=log.task_id)
        if not takes_words(log):
            raise PmError("no_question", task=log.task_id)
        going = _going_on(log, crew, text)
        run_id = project.paths.new_run().run_id
        task = mine.same_task(log, run_id, crew.name, RunTrigger.USER_RESPONSE, text)
        return await _TaskRun(own, crew, mine, task, options).end(going)


async def continue_task(
    project: Project, session: OpenSession, **options: Unpack[TaskOptions]
) -> RunResult:
    """Go on with the latest unfinished task of an approved session, under its id.

    Raises:
        PmError: E207 without approval, with nothing unfinished, or with a question open;
            otherwise as `run_task`.
    """
    before = continuation(session)
    project = limited(project, options.get("limits"), before)
    crew = _same_crew(project, before, options)
    async with crew.to_itself(session):
        log = continuation(session)
        going = _going_on(log, crew)
        run_id = project.paths.new_run().run_id
        task = session.same_task(log, run_id, crew.name, RunTrigger.CONTINUATION)
        return await _TaskRun(project, crew, session, task, options).end(going)


async def resume_cut_off(
    project: Project, log: TaskLog, session: OpenSession, **options: Unpack[TaskOptions]
) -> RunResult:
    """Take up the last run of a task where it was cut off.

    With a journal it is that very run, and no finished step is done again; without one
    the task goes on from what lies there, judged from its first base.

    Raises:
        PmError: E210 where a company never got to work; otherwise as `run_task`.
    """
    from pm_orchestrator.runner.tasks.run_orders import RunOrders

    way = way_of(log, project.paths.root)
    if way == "company":
        # Before anything is written about it: a run without an order cannot go on.
        RunOrders(project).read(log.run_id)
    project = limited(project, options.get("limits"), log)
    crew = _same_crew(project, log, options)
    async with crew.to_itself(session):
        going = _going_on(log, crew)
        run_id = log.run_id
        if way == "company":
            going = replace(going, resumed=True)
        else:
            run_id = project.paths.new_run().run_id
        task = session.same_task(log, run_id, crew.name, RunTrigger.CONTINUATION)
        return await _TaskRun(project, crew, session, task, options).end(going)


def _same_crew(project: Project, log: TaskLog, options: TaskOptions) -> Crew:
    """Whoever works as the task was begun: the same way, and with the model named for it."""
    way = way_of(log, project.paths.root)
    if way == "solo" and options.get("adapter") is None:
        options = options.copy()
        adapter, model = named_for(log)
        if adapter is not None:
            options["adapter"], options["model"] = adapter, options.get("model") or model
    return project.crews(project, way, options)


def _log_of(project: Project, where: OpenSession | str, task_id: str) -> TaskLog:
    session_id = where if isinstance(where, str) else where.session_id
    return project.book.read(session_id, task_id)


def _going_on(log: TaskLog, crew: Crew, answer: str | None = None) -> Going:
    from pm_orchestrator.runner.instructions.permissions import permitted_in

    said = "" if answer is None else f"\nAnswer: {answer}"
    return Going(
        instruction=instruction_kept(log) + said,
        earlier=log.run_id,
        permitted=permitted_in(log.events, answer),
        conversation=_of(spoken_in(log), crew),
    )


def _of(spoken: Spoken | None, crew: Crew) -> str | None:
    """The conversation, if it is with who works now; nobody else knows it."""
    return None if spoken is None or spoken.executor != crew.name else spoken.conversation


class _TaskRun:
    """One run of one task, with its records closed at every end."""

    def __init__(
        self,
        project: Project,
        crew: Crew,
        session: OpenSession,
        task: TaskRun,
        options: TaskOptions,
    ) -> None:
        self._project = project
        self._crew = crew
        self._session = session
        self._task = task
        self._tell = options.get("ended") or _nobody_waits
        self._timers = options.get("timers")
        self._directory = project.paths.run(task.run_id)

    async def end(self, going: Going) -> RunResult:
        """Carry it out, and return or raise how it ended."""
        ledger = ledger_of(self._project, in_directory=self._crew.in_directory)
        selection = self._crew.selection
        try:
            end = await self._session.carry_out(
                self._task, ledger, lambda log: self._work(going, log), selection
            )
        except PmError as error:
            from pm_orchestrator.runner.tasks.run_orders import RunOrders

            self._tell(await self._failed(error))
            order = RunOrders(self._project).find(self._task.run_id)
            taken_up = order is not None and not _is_for_good(error)
            if error.next_step == "ask" or not taken_up:
                raise
            raise StoppedRunError(error, self._task.run_id) from error
        except asyncio.CancelledError as stop:
            if not self._is_on_record():
                # Stopped before there was anything to close.
                raise
            kept = stop.kept if isinstance(stop, StoppedWorkError) else ()
            done = stop.done if isinstance(stop, StoppedWorkError) else ()
            await to_its_end(
                save_report(self._project, self._session, self._task, self._model, None)
            )
            self._tell(self._result())
            raise TaskInterruptedError(self._task, kept, done) from None
        report = await save_report(self._project, self._session, self._task, self._model, end)
        end = replace(end, report=report)
        await save_result(self._project, self._directory, end)
        self._tell(self._result())
        return end

    async def _work(self, going: Going, log: OpenLog) -> RunResult:
        """The work between what a person answered and what it asks a person."""
        note = Notes(self._project.recorder, self._task, log.note_evidence)
        if self._task.answer is not None:
            await note("user_response", self._task.answer, by=PERSON)
        try:
            return await self._carried_out(going, log)
        except PmError as question:
            if question.next_step == "ask":
                await note("question", question.what())
            raise

    async def _carried_out(self, going: Going, log: OpenLog) -> RunResult:
        workplace = None
        try:
            async with self._crew.at_work(self._task, going, log, self._session) as workplace:
                async with _heard(self._project, self._directory):
                    end = await workplace.engine.execute(carry_out, workplace.order, RunEnd)
                result = workplace.kept.read(RunResult, end.result)
        except StepFailedError as error:
            # A person is told what went wrong, not in which step of ours it did.
            raise error.original() from error
        except asyncio.CancelledError:
            if workplace is None:
                raise
            done, kept = tuple(workplace.accepted), tuple(workplace.stopped)
            raise StoppedWorkError(done, kept) from None
        await self._session.note_violations(result.violations)
        return result

    @property
    def _model(self) -> str | None:
        selection = self._crew.selection
        return None if selection is None else selection.model

    async def _failed(self, error: PmError) -> TaskResult:
        """What became of a task without a verdict, told even where nothing can be written."""
        try:
            await self._keep_fault(error)
            found = overrun_timer(error, self._timers, iso(self._project.clock.now()))
            await self._session.note_violations(found)
            await save_report(self._project, self._session, self._task, self._model, None, found)
            return self._result()
        except (PmError, OSError):
            return unwritten_result(self._task, error, iso(self._project.clock.now()))

    def _result(self) -> TaskResult:
        book = self._session.book
        return task_result(book.read(self._session.session_id, self._task.task_id))

    def _is_on_record(self) -> bool:
        entries = self._session.book.entries(self._session.session_id)
        return any(entry.external_task_id == self._task.task_id for entry in entries)

    async def _keep_fault(self, error: PmError) -> None:
        """The whole trace of a fault of ours, for whoever mends it; nobody else is shown it."""
        logs = RunLogs(self._directory.folder, self._project.masker, self._project.clock)
        if error.slug == "runner_fault":
            await logs.line("errors.log", "".join(traceback.format_exception(error)))
        elif not self._crew.in_directory:
            await logs.line("errors.log", str(error))


def _is_for_good(error: PmError) -> bool:
    """Whether a run that is taken up again would only be told the same from its journal."""
    step = error.__cause__
    return isinstance(step, StepFailedError) and not step.passing


@asynccontextmanager
async def _heard(project: Project, directory: RunDirectory) -> AsyncGenerator[None]:
    """Stop the work when another process asks for it, as Ctrl-C would."""
    work = asyncio.current_task()
    assert work is not None

    def is_asked() -> bool:
        return directory.cancel.name in project.files.names(directory.folder)

    async def listen() -> None:
        await project.clock.sleep(LISTENS_EVERY_S)
        while not await asyncio.to_thread(is_asked):
            await project.clock.sleep(LISTENS_EVERY_S)
        work.cancel()

    if is_asked():
        # That was for an earlier life of the run.
        await project.files.remove([directory.cancel])
    listener = asyncio.create_task(listen())
    try:
        yield
    finally:
        listener.cancel()


def _nobody_waits(_: TaskResult) -> None:
    """For callers to whom the returned end says enough."""
