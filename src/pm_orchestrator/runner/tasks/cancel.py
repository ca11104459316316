"""`cancel`: end a running task of any process, as Ctrl-C there would."""

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.task_log import TaskLog
from pm_orchestrator.evidence.records.open_log import TERMINAL
from pm_orchestrator.runner.project.project import Project
from pm_orchestrator.runner.project.project_sessions import recovered
from pm_orchestrator.runner.sessions.task_finding import find_task

WAIT_S = 60.0
LOOK_EVERY_S = 0.2


async def cancel_task(project: Project, any_task_id: str) -> TaskLog:
    """Ask the owner of the task to stop it, and wait until its records are closed.

    Raises:
        PmError: E210 for a task that is unknown or not running; E403 when its owner does
            not react in time.
    """
    session_id, task_id = find_task(project.book, any_task_id)
    # Nobody is left to be asked by a dead owner; what it left open is closed instead.
    await recovered(project)
    # A part is stopped with the task it is a part of.
    log = project.book.read_whole(session_id, task_id)
    if log.status in TERMINAL:
        raise PmError("not_running", task=log.task_id, status=log.status)
    await project.files.replace(project.paths.run(log.run_id).cancel, b"cancel\n")
    deadline = project.clock.monotonic() + WAIT_S
    while project.clock.monotonic() < deadline:
        await project.clock.sleep(LOOK_EVERY_S)
        log = project.book.read(session_id, log.task_id)
        if log.status in TERMINAL:
            return log
    raise PmError("cancel_not_heard", task=log.task_id, seconds=int(WAIT_S))
