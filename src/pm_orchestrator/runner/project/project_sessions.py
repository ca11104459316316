"""Sessions of an opened project, and the right to work in its directory."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import timedelta

from pm_orchestrator.domain.history.session import UnfinishedTask
from pm_orchestrator.domain.history.task_log import SELECTION_ALTERED, SETTINGS_ALTERED
from pm_orchestrator.domain.ids import iso
from pm_orchestrator.domain.tasks.file_lock import FileLock, LockType
from pm_orchestrator.evidence.chain.links import linked
from pm_orchestrator.evidence.guard.held_settings import HeldSettings
from pm_orchestrator.ports.recorder import PERSON, RUNNER, Operation
from pm_orchestrator.runner.project.project import PROJECT, Project
from pm_orchestrator.runner.records.repl_states import ReplStates
from pm_orchestrator.runner.records.task_ledger import TaskLedger
from pm_orchestrator.runner.sessions.continuation import instruction_kept, to_go_on
from pm_orchestrator.runner.sessions.open_session import OpenSession
from pm_orchestrator.runner.sessions.sessions import SessionParts, Sessions


def sessions_of(project: Project) -> Sessions:
    """The project's sessions."""
    return Sessions(
        SessionParts(
            files=project.files,
            owners=project.owners,
            clock=project.clock,
            ids=project.ids,
            masker=project.masker,
            paths=project.paths,
            settings=project.settings,
            recorder=project.recorder,
            book=project.book,
        )
    )


def task_meant(
    project: Project, typed: str, held: OpenSession | None = None
) -> tuple[OpenSession | str, str]:
    """The session of the task that is meant, as it is held or by its id, and the task's id.

    Raises:
        PmError: E210 where no task is meant, or more than one may be.
    """
    from pm_orchestrator.runner.sessions.task_finding import find_task

    if held is None:
        return find_task(project.book, typed)
    session_id, task_id = find_task(project.book, typed, held.session_id)
    return (held if session_id == held.session_id else session_id), task_id


def repl_states(project: Project) -> ReplStates:
    """The project's `repl.json`."""
    path = project.paths.claude / "repl.json"
    held = _held_settings(project)
    return ReplStates(project.files, project.clock, path, project.head_file, held)


def _held_settings(project: Project) -> HeldSettings:
    return HeldSettings(project.own_files, project.paths.settings, project.head_file)


def ledger_of(project: Project, *, in_directory: bool) -> TaskLedger:
    """The project's unfinished tasks; `in_directory` for work that writes into it."""
    repl = repl_states(project) if in_directory else None
    return TaskLedger(project.files, project.paths.unfinished, repl)


async def recovered(project: Project, held: OpenSession | None = None) -> tuple[str, ...]:
    """Close what dead owners left open, before anything new begins."""
    ledger = ledger_of(project, in_directory=True)
    if not ledger.unfinished():
        return ()
    from pm_orchestrator.runner.project.left_by_the_dead import left_in_directory
    from pm_orchestrator.runner.sessions.recovery import Inquest, TakenDown, recover

    async def told(task: UnfinishedTask) -> TakenDown:
        altered = await _altered(project, task.session_id, task.task_id)
        evidence = await _cut_off(project, task)
        return TakenDown((*altered.values(), *evidence), altered=tuple(altered))

    inquest = Inquest(told, left_in_directory(project))
    return await recover(sessions_of(project), ledger, held, inquest)


async def _cut_off(project: Project, task: UnfinishedTask) -> tuple[str, ...]:
    """Take down that a task is closed for its dead owner; all evidence that there is of it."""
    paths = project.paths
    names = project.files.names(paths.claude / "raw" / task.session_id)
    mine = [n.removeprefix(f"{task.task_id}_") for n in names if n.startswith(f"{task.task_id}_")]
    found = frozenset(f"ev-{name.partition('.')[0]}" for name in mine)
    evidence = await project.recorder.record(
        Operation(
            type="close_cut_off",
            raw=f"{task.run_id} was cut off and is closed; {len(found)} raw logs",
            session_id=task.session_id,
            task_id=task.task_id,
        )
    )
    # What no line of the chain commits was never told to anybody.
    return (*linked(paths.claude, found), evidence.evidence_id)


async def _altered(project: Project, session: str, task: str) -> dict[str, str]:
    """Take down what is not as we left it while the task ran, and have it so again.

    Whoever did it, an executor or somebody who used the editor after the crash: what is not on
    record chooses nothing here. A person selects again with one command, and finds the settings
    of before beside those in force.
    """
    proofs: dict[str, str] = {}

    def proof(sentence: str, name: str) -> Callable[[], Awaitable[None]]:
        async def prove() -> None:
            evidence = await project.recorder.record(
                Operation(type="records_altered", raw=name, session_id=session, task_id=task)
            )
            proofs[sentence] = evidence.evidence_id

        return prove

    states = repl_states(project)
    if states.read().current_task_id == task:
        # Another process may be at work by now, and hold them for itself.
        prove = proof(SETTINGS_ALTERED, ".claude/settings.json")
        await _held_settings(project).put_back(prove)
    await states.put_back(proof(SELECTION_ALTERED, ".claude/repl.json"))
    return proofs


async def start_session(
    project: Project, model: str | None = None, provider: str | None = None
) -> OpenSession:
    """A new session in the project, owned by this process."""
    await recovered(project)
    session = await sessions_of(project).start(model, provider)
    await project.recorder.record(
        Operation(
            type="start_session",
            raw=f"{session.session_id} begins with {provider or '-'} {model or '-'}",
            session_id=session.session_id,
            task_id="start",
        )
    )
    return session


@asynccontextmanager
async def owned(project: Project, session: OpenSession | str | None) -> AsyncGenerator[OpenSession]:
    """The given session, or one that is opened or begun here and left at the end."""
    if isinstance(session, OpenSession):
        yield session
        return
    sessions = sessions_of(project)
    if session is None:
        mine = await sessions.start()
    else:
        mine = await sessions.open(session)
    try:
        yield mine
    finally:
        await mine.leave()


@asynccontextmanager
async def directory_to_itself(
    project: Project, held: OpenSession | None = None, executor: str = RUNNER
) -> AsyncGenerator[None]:
    """Keep every other executor out of the project directory, for `executor` or for ourselves.

    Raises:
        PmError: E402 naming the process that works in it.
    """
    what = f"the project directory {project.paths.root}"
    owner = project.owners.take(project.paths.executing, what, _lock(project, executor))
    try:
        await recovered(project, held)
        await _leave_nothing_running(project)
        yield
    finally:
        owner.release()


async def _leave_nothing_running(project: Project) -> None:
    """End in `repl.json` what nobody remembers any more, as our state was taken away meanwhile."""
    states = repl_states(project)
    task = states.read().current_task_id
    known = ledger_of(project, in_directory=True).unfinished()
    if task is not None and all(task != each.task_id for each in known):
        await _altered(project, PROJECT, task)
        await states.ended(task)


def _lock(project: Project, executor: str) -> FileLock:
    """The record of the one writer in the project directory."""
    now = project.clock.now()
    wait = timedelta(seconds=project.settings.timeouts.deadlock_timeout_seconds)
    return FileLock(
        lock_id=f"lock-{project.ids.token(8)}",
        file_path=str(project.paths.root),
        holder_executor_id=executor,
        acquired_at=iso(now),
        expires_at=iso(now + wait),
        lock_type=LockType.WRITE,
    )


async def approve_session(project: Project, session: OpenSession) -> str:
    """Allow the session to go on, on the record; returns the task that will.

    Raises:
        PmError: E207 when nothing in it could go on by that.
    """
    log = to_go_on(session)
    instruction_kept(log)
    task = log.task_id
    await project.recorder.record(
        Operation(
            type="approve_continuation",
            raw=f"continuation of {session.session_id} approved for {task}",
            session_id=session.session_id,
            task_id=task,
            executor_id=PERSON,
        )
    )
    await session.approve(approved=True)
    return task
