"""Undoing a task in an opened project."""

from pm_orchestrator.bootstrap.application import Application
from pm_orchestrator.bootstrap.sessions import directory_to_itself, sessions_of
from pm_orchestrator.bootstrap.workspaces import ProjectWatch
from pm_orchestrator.runner.open_session import OpenSession
from pm_orchestrator.runner.undo import Undo, UndoEnd


async def undo_task(app: Application, any_task_id: str, held: OpenSession | None = None) -> UndoEnd:
    """Put the files back as they were before a task; a second time, bring its work back.

    Raises:
        PmError: E210 for a task that is unknown or has nothing saved; E402 while an
            executor works in the directory.
    """
    session_id = sessions_of(app).session_of(any_task_id)
    log = app.book.read(session_id, any_task_id)
    async with directory_to_itself(app, held):
        watch = ProjectWatch(app, app.paths.runs / log.run_id)
        undo = Undo(app.paths.root, watch.workspace, watch.rescue, app.recorder)
        return await undo.undo(session_id, log.task_id)
