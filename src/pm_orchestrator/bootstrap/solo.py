"""One solo task from an instruction to its end: one executor, the project directory."""

import asyncio
import traceback
from collections.abc import Callable
from typing import TypedDict

from msgspec.structs import replace
from typing_extensions import Unpack

from pm_orchestrator.bootstrap.application import Application
from pm_orchestrator.bootstrap.executors import make_executor
from pm_orchestrator.bootstrap.reports import save_report
from pm_orchestrator.bootstrap.second_voice import second_voice
from pm_orchestrator.bootstrap.selection import ready_selection
from pm_orchestrator.bootstrap.sessions import directory_to_itself, ledger_of, owned, sessions_of
from pm_orchestrator.bootstrap.solo_gates import qa_parts
from pm_orchestrator.bootstrap.workspaces import ProjectWatch
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.ids import iso
from pm_orchestrator.domain.session import RunTrigger
from pm_orchestrator.domain.supervision import WatchLimits
from pm_orchestrator.domain.task import TaskResult
from pm_orchestrator.domain.task_log import TaskLog, instruction_of, pending_question
from pm_orchestrator.evidence.answer_book import AnswerBook
from pm_orchestrator.evidence.event_log import EventLog, Watcher
from pm_orchestrator.evidence.open_log import OpenLog
from pm_orchestrator.evidence.run_log import RunLogs
from pm_orchestrator.evidence.task_facts import FactsBook
from pm_orchestrator.evidence.told_recorder import ToldRecorder
from pm_orchestrator.ports.executor import Activity
from pm_orchestrator.runner.continuation import continuation
from pm_orchestrator.runner.execution_record import conversation_of
from pm_orchestrator.runner.interruption import TaskInterruptedError, to_its_end
from pm_orchestrator.runner.new_task import NewTask
from pm_orchestrator.runner.open_session import OpenSession
from pm_orchestrator.runner.run_report import evidence_summary
from pm_orchestrator.runner.selection import Selection
from pm_orchestrator.runner.solo import SoloOrder, SoloParts, SoloTask
from pm_orchestrator.runner.task_life import Finding, TaskEnd
from pm_orchestrator.runner.task_result import task_result


class SoloOptions(TypedDict, total=False):
    """How to work, besides what on."""

    model: str | None
    """For this task alone; otherwise the selected one."""
    watch: Watcher | None
    timers: WatchLimits | None
    conversation: str | None
    """The executor's own session, where a task goes on."""
    attended: bool
    """Somebody is there who can be asked."""
    ended: Callable[[TaskResult], None] | None
    """Told how the task ended, at every end, once its records are closed."""


async def run_solo(
    app: Application,
    instruction: str,
    *,
    session: OpenSession | None = None,
    **options: Unpack[SoloOptions],
) -> TaskEnd:
    """Let the configured executor loose on one instruction and judge the result.

    Raises:
        PmError: the task could not be started or could not go on; its log says so too.
    """
    chosen = ready_selection(app, options.get("model"))
    name = make_executor(app, chosen.provider).name
    async with directory_to_itself(app, session, name), owned(app, session) as mine:
        directory = app.paths.new_run()
        task = mine.new_task(directory.run_id, instruction, name)
        return await _carry_out(app, mine, task, instruction, options, chosen)


async def reply_solo(
    app: Application,
    any_task_id: str,
    text: str,
    *,
    session: OpenSession | None = None,
    **options: Unpack[SoloOptions],
) -> TaskEnd:
    """Go on with a task that asked, under its id, with the answer applied.

    Raises:
        PmError: E210 for a task that is unknown or asks nothing; otherwise as `run_solo`.
    """
    where = session or sessions_of(app).session_of(any_task_id)
    chosen = ready_selection(app, options.get("model"))
    name = make_executor(app, chosen.provider).name
    async with directory_to_itself(app, session, name), owned(app, where) as mine:
        log = mine.book.read(mine.session_id, any_task_id)
        if pending_question(log) is None:
            raise PmError("no_question", task=log.task_id)
        instruction = f"{_kept_instruction(log)}\nAnswer: {text}"
        run_id = app.paths.new_run().run_id
        task = mine.same_task(log, run_id, name, RunTrigger.USER_RESPONSE, text)
        options["conversation"] = conversation_of(log)
        return await _carry_out(app, mine, task, instruction, options, chosen)


async def continue_solo(
    app: Application, session: OpenSession, **options: Unpack[SoloOptions]
) -> TaskEnd:
    """Go on with the latest unfinished task of an approved session, under its id.

    Raises:
        PmError: E207 without approval, with nothing unfinished, or with a question open;
            otherwise as `run_solo`.
    """
    chosen = ready_selection(app, options.get("model"))
    name = make_executor(app, chosen.provider).name
    async with directory_to_itself(app, session, name):
        log = continuation(session)
        instruction = _kept_instruction(log)
        # An approval is for one continuation; the next one needs its own.
        await session.approve(approved=False)
        run_id = app.paths.new_run().run_id
        task = session.same_task(log, run_id, name, RunTrigger.CONTINUATION)
        options["conversation"] = conversation_of(log)
        return await _carry_out(app, session, task, instruction, options, chosen)


def _kept_instruction(log: TaskLog) -> str:
    instruction = instruction_of(log)
    if "[MASKED:" in instruction:
        raise PmError("instruction_not_kept", task=log.task_id)
    return instruction


async def _carry_out(
    app: Application,
    session: OpenSession,
    task: NewTask,
    instruction: str,
    options: SoloOptions,
    chosen: Selection,
) -> TaskEnd:
    run = app.paths.runs / task.run_id
    events = EventLog(run / "events.jsonl", task.run_id, app.masker, app.clock)
    watch = options.get("watch")
    if watch is not None:
        events.watch(watch)
    project_watch = ProjectWatch(app, run)
    recorder = ToldRecorder(app.recorder)
    solo = SoloTask(
        SoloParts(
            executor=make_executor(app, chosen.provider),
            qa=qa_parts(app, project_watch.saved_files, run),
            facts=FactsBook(app.files, app.paths.claude, app.masker),
            answers=AnswerBook(app.files, app.paths.claude, app.masker),
            recorder=recorder,
            masker=app.masker,
            settings=app.settings,
            events=events,
            workspace=project_watch.workspace,
            guard=project_watch.guard(),
            entered=session.enter,
            told=None if watch is None else _shown_by(events, task.task_id),
            second_voice=second_voice(app),
        )
    )
    order = SoloOrder(
        session_id=task.session_id,
        task_id=task.task_id,
        instruction=instruction,
        project=app.paths.root,
        run_id=task.run_id,
        model=chosen.model,
        timers=options.get("timers"),
        conversation=options.get("conversation"),
        attended=options.get("attended", False),
    )

    async def work(log: OpenLog) -> Finding:
        recorder.tell(log.note_evidence)
        end = await solo.run(order, log)
        project_watch.remember()
        await session.note_violations(end.outcome.facts.violations)
        return Finding(
            status=end.outcome.status,
            reason=end.outcome.because(),
            changes=end.outcome.facts.changes,
            unlisted_changes=end.outcome.facts.unlisted_changes,
            summary=evidence_summary(end.outcome, iso(app.clock.now())),
            evidence_ids=end.evidence_ids,
            claim=end.claim,
            findings=end.findings,
            gates=end.outcome.facts.gates,
            answer=None if end.answer is None else str(end.answer.path),
        )

    ended = options.get("ended") or _nobody_waits
    try:
        end = await session.carry_out(task, ledger_of(app, in_directory=True), work, chosen)
    except PmError as error:
        await _keep_fault(RunLogs(run, app.masker, app.clock), error)
        await save_report(app, session, task, chosen.model)
        ended(task_result(session.book.read(session.session_id, task.task_id)))
        raise
    except asyncio.CancelledError:
        if not _is_on_record(session, task):
            # Stopped before there was anything to close.
            raise
        closing = _after_interruption(app, session, task, project_watch, chosen.model)
        saved, _ = await to_its_end(closing)
        ended(task_result(session.book.read(session.session_id, task.task_id)))
        raise TaskInterruptedError(task.session_id, task.task_id, saved) from None
    report = await save_report(app, session, task, chosen.model)
    ended(end.result)
    return replace(end, report=report)


async def _after_interruption(
    app: Application,
    session: OpenSession,
    task: NewTask,
    watch: ProjectWatch,
    model: str | None,
) -> str | None:
    """Write the report, and find the ref with the files from before."""
    await save_report(app, session, task, model)
    saved = await watch.rescue.find(app.paths.root, f"{task.run_id}/{task.task_id}")
    return None if saved is None else saved.ref


def _is_on_record(session: OpenSession, task: NewTask) -> bool:
    entries = session.book.entries(session.session_id)
    return any(entry.external_task_id == task.task_id for entry in entries)


def _shown_by(events: EventLog, task_id: str) -> Callable[[Activity], None]:
    """Whoever watches the events sees what the executor is at."""

    def show(activity: Activity) -> None:
        events.glimpse(
            "activity",
            task_id,
            what=activity.what,
            tokens=activity.tokens,
            cost_usd=activity.cost_usd,
        )

    return show


def _nobody_waits(_: TaskResult) -> None:
    """For callers to whom the returned end says enough."""


async def _keep_fault(logs: RunLogs, error: PmError) -> None:
    """The whole trace of a fault of ours, for whoever mends it; nobody else is shown it."""
    if error.slug == "runner_fault":
        await logs.line("errors.log", "".join(traceback.format_exception(error)))
