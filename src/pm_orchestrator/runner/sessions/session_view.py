"""How a session or a run stands, for people and programs; reading it changes nothing."""

from msgspec.structs import replace

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.report import RunReport, Spent
from pm_orchestrator.domain.history.session import Run, RunStatus, Session, SessionStatus
from pm_orchestrator.domain.history.task_log import TaskLogEntry, TaskLogStatus
from pm_orchestrator.domain.history.task_story import pending_question
from pm_orchestrator.domain.record import Record
from pm_orchestrator.domain.tasks.status import TaskStatus, aggregate
from pm_orchestrator.domain.tasks.task import LimitViolation
from pm_orchestrator.evidence.records.log_book import TaskLogBook
from pm_orchestrator.runner.records.task_report import AT_WORK, DONE, NOTHING_YET, TAKEN

VERDICTS: dict[TaskLogStatus, TaskStatus] = {
    TaskLogStatus.QUEUED: TaskStatus.INCOMPLETE,
    TaskLogStatus.RUNNING: TaskStatus.INCOMPLETE,
    TaskLogStatus.COMPLETE: TaskStatus.COMPLETE,
    TaskLogStatus.INCOMPLETE: TaskStatus.INCOMPLETE,
    TaskLogStatus.ERROR: TaskStatus.ERROR,
}


class SessionView(Record, frozen=True, kw_only=True):
    """One session, or the part of it that one run made."""

    session: Session
    overall_status: TaskStatus
    next_action: bool
    next_action_reason: str
    """The question that waits for an answer, or else how the tasks stand."""
    waiting_task_id: str | None
    """The task that asks it."""
    violations: tuple[LimitViolation, ...]
    tasks: tuple[TaskLogEntry, ...]
    runs: tuple[Run, ...]
    report: RunReport | None = None
    """The report of the last run shown."""
    spent: Spent | None = None
    """On models, by the runs shown."""


def view(book: TaskLogBook, session_or_run: str) -> SessionView:
    """The session of this id, or the run's part of its session.

    Raises:
        PmError: E210 for an id of neither, E204 where tasks and logs disagree.
    """
    sessions = book.session_ids()
    if session_or_run in sessions:
        return _view(book, session_or_run, None)
    for session_id in reversed(sessions):
        if session_or_run in book.records(session_id).runs():
            return _view(book, session_id, session_or_run)
    raise PmError("session_unknown", session=session_or_run)


def _view(book: TaskLogBook, session_id: str, run_id: str | None) -> SessionView:
    book.check(session_id)
    records = book.records(session_id)
    session = records.state()
    if session is None:
        raise PmError("session_unknown", session=session_id)
    tasks = tuple(e for e in book.entries(session_id) if run_id in (None, e.run_id))
    # A part has its say in the verdict on the whole.
    whole = tuple(entry for entry in tasks if entry.parent_task_id is None)
    overall = aggregate(VERDICTS[entry.status] for entry in whole)
    waiting = _waiting(book, session_id, whole)
    acceptable = overall not in {TaskStatus.ERROR, TaskStatus.INVALID}
    dead = book.is_cut_off(session_id)
    return SessionView(
        session=_session(session, dead=dead),
        overall_status=overall,
        next_action=waiting is not None or acceptable,
        next_action_reason=waiting[1]
        if waiting is not None
        else _how_it_stands(book, session_id, whole, dead=dead),
        waiting_task_id=waiting[0] if waiting is not None else None,
        violations=session.limit_violations,
        tasks=tasks,
        runs=tuple(
            _run(run, dead=dead) for run in records.runs().values() if run_id in (None, run.run_id)
        ),
    )


def _how_it_stands(
    book: TaskLogBook, session_id: str, tasks: tuple[TaskLogEntry, ...], *, dead: bool
) -> str:
    """Why something can be done next, or nothing can: what the latest open task lacks."""
    if not dead and any(entry.completed_at is None for entry in tasks):
        return AT_WORK
    for entry in reversed(tasks):
        if entry.status is not TaskLogStatus.COMPLETE:
            log = book.read(session_id, entry.task_id)
            return f"{entry.external_task_id}: {log.error_reason or log.status}"
    if not tasks:
        return NOTHING_YET
    return TAKEN if tasks[-1].accepted else DONE


def _waiting(
    book: TaskLogBook, session_id: str, tasks: tuple[TaskLogEntry, ...]
) -> tuple[str, str] | None:
    """The latest task that waits for an answer, and its question."""
    for entry in reversed(tasks):
        if entry.status is TaskLogStatus.INCOMPLETE:
            question = pending_question(book.read(session_id, entry.task_id))
            if question is not None:
                return entry.external_task_id, question
    return None


def _session(session: Session, *, dead: bool) -> Session:
    """As it is: nobody runs anything in a session whose owner is gone."""
    idle = session.status in {SessionStatus.READY, SessionStatus.UNFINISHED}
    return session if idle or not dead else replace(session, status=SessionStatus.UNFINISHED)


def _run(run: Run, *, dead: bool) -> Run:
    running = run.status is RunStatus.RUNNING
    return replace(run, status=RunStatus.FAILED) if running and dead else run
