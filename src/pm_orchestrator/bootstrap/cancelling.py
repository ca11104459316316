"""`cancel`: end a running task of any process, as Ctrl-C there would."""

from pm_orchestrator.bootstrap.application import Application
from pm_orchestrator.bootstrap.sessions import recovered, sessions_of
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.task_log import TaskLog
from pm_orchestrator.evidence.records.open_log import TERMINAL
from pm_orchestrator.runner.layout import RunDirectory

WAIT_S = 60.0
LOOK_EVERY_S = 0.2


async def cancel_task(app: Application, any_task_id: str) -> TaskLog:
    """Ask the owner of the task to stop it, and wait until its records are closed.

    Raises:
        PmError: E210 for a task that is unknown or not running; E403 when its owner does
            not react in time.
    """
    session_id = sessions_of(app).session_of(any_task_id)
    # Nobody is left to be asked by a dead owner; what it left open is closed instead.
    await recovered(app)
    log = app.book.read(session_id, any_task_id)
    if log.status in TERMINAL:
        raise PmError("not_running", task=log.task_id, status=log.status)
    await app.files.replace(RunDirectory(app.paths.runs / log.run_id).cancel, b"cancel\n")
    deadline = app.clock.monotonic() + WAIT_S
    while app.clock.monotonic() < deadline:
        await app.clock.sleep(LOOK_EVERY_S)
        log = app.book.read(session_id, any_task_id)
        if log.status in TERMINAL:
            return log
    raise PmError("cancel_not_heard", task=log.task_id, seconds=int(WAIT_S))
