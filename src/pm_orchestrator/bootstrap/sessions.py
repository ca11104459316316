"""Sessions of an opened project, and the right to work in its directory."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import timedelta

from pm_orchestrator.bootstrap.application import Application
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.ids import iso
from pm_orchestrator.domain.tasks.file_lock import FileLock, LockType
from pm_orchestrator.ports.recorder import Operation
from pm_orchestrator.runner.records.repl_states import ReplStates
from pm_orchestrator.runner.records.task_ledger import TaskLedger
from pm_orchestrator.runner.sessions.open_session import OpenSession
from pm_orchestrator.runner.sessions.recovery import recover
from pm_orchestrator.runner.sessions.sessions import SessionParts, Sessions

RUNNER = "runner"
"""Holds the directory where no executor is called: for undo and acceptance."""


def sessions_of(app: Application) -> Sessions:
    """The project's sessions."""
    return Sessions(
        SessionParts(
            files=app.files,
            owners=app.owners,
            clock=app.clock,
            ids=app.ids,
            masker=app.masker,
            paths=app.paths,
            settings=app.settings,
            book=app.book,
        )
    )


def repl_states(app: Application) -> ReplStates:
    """The project's `repl.json`."""
    return ReplStates(app.files, app.clock, app.paths.claude / "repl.json")


def ledger_of(app: Application, *, in_directory: bool) -> TaskLedger:
    """The project's unfinished tasks; `in_directory` for work that writes into it."""
    repl = repl_states(app) if in_directory else None
    return TaskLedger(app.files, app.paths.unfinished, repl)


async def recovered(app: Application, held: OpenSession | None = None) -> tuple[str, ...]:
    """Close what dead owners left open, before anything new begins."""
    return await recover(sessions_of(app), ledger_of(app, in_directory=True), held)


async def start_session(
    app: Application, model: str | None = None, provider: str | None = None
) -> OpenSession:
    """A new session in the project, owned by this process."""
    await recovered(app)
    return await sessions_of(app).start(model, provider)


@asynccontextmanager
async def owned(app: Application, session: OpenSession | str | None) -> AsyncGenerator[OpenSession]:
    """The given session, or one that is opened or begun here and left at the end."""
    if isinstance(session, OpenSession):
        yield session
        return
    sessions = sessions_of(app)
    mine = await (sessions.start() if session is None else sessions.open(session))
    try:
        yield mine
    finally:
        await mine.leave()


@asynccontextmanager
async def directory_to_itself(
    app: Application, held: OpenSession | None = None, executor: str = RUNNER
) -> AsyncGenerator[None]:
    """Keep every other executor out of the project directory, for `executor` or for ourselves.

    Raises:
        PmError: E402 naming the process that works in it.
    """
    what = f"the project directory {app.paths.root}"
    owner = app.owners.take(app.paths.executing, what, _lock(app, executor))
    try:
        await recovered(app, held)
        yield
    finally:
        owner.release()


def _lock(app: Application, executor: str) -> FileLock:
    """The record of the one writer in the project directory."""
    now = app.clock.now()
    wait = timedelta(seconds=app.settings.timeouts.deadlock_timeout_seconds)
    return FileLock(
        lock_id=f"lock-{app.ids.token(8)}",
        file_path=str(app.paths.root),
        holder_executor_id=executor,
        acquired_at=iso(now),
        expires_at=iso(now + wait),
        lock_type=LockType.WRITE,
    )


async def approve(app: Application, session: OpenSession) -> str:
    """Allow the session to go on, on the record; returns the task that will.

    Raises:
        PmError: E207 when nothing in it is unfinished.
    """
    unfinished = session.unfinished()
    if not unfinished:
        raise PmError("nothing_unfinished", session=session.session_id)
    task = unfinished[-1].external_task_id
    await app.recorder.record(
        Operation(
            type="approve_continuation",
            raw=f"continuation of {session.session_id} approved for {task}",
            session_id=session.session_id,
            task_id=task,
        )
    )
    await session.approve(approved=True)
    return task
