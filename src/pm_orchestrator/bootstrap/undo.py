"""Undoing a task in an opened project."""

from pm_orchestrator.bootstrap.application import Application
from pm_orchestrator.bootstrap.sessions import directory_to_itself, sessions_of
from pm_orchestrator.bootstrap.workspaces import ProjectWatch
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.task_log import TaskLog
from pm_orchestrator.evidence.records.open_log import TERMINAL
from pm_orchestrator.runner.layout import RunDirectory
from pm_orchestrator.runner.records.ways import way_of
from pm_orchestrator.runner.sessions.open_session import OpenSession
from pm_orchestrator.runner.tasks.undo import Undo, UndoEnd
from pm_orchestrator.runner.tasks.undo_branches import UndoBranches


async def undo_task(app: Application, any_task_id: str, held: OpenSession | None = None) -> UndoEnd:
    """Put the files back as they were before a task; a second time, bring its work back.

    Raises:
        PmError: E210 for a task that is unknown or has nothing saved; E402 while an
            executor works in the directory.
    """
    session_id = sessions_of(app).session_of(any_task_id)
    log = app.book.read(session_id, any_task_id)
    if way_of(log, app.paths.root) == "company":
        return await _undo_branches(app, log)
    async with directory_to_itself(app, held):
        watch = ProjectWatch(app, app.paths.runs / log.run_id)
        undo = Undo(app.paths.root, watch.workspace, watch.rescue, app.recorder)
        return await undo.undo(session_id, log.task_id)


async def _undo_branches(app: Application, log: TaskLog) -> UndoEnd:
    from pm_orchestrator.bootstrap.company_orders import CompanyOrders
    from pm_orchestrator.bootstrap.delivery import run_repository

    if log.status not in TERMINAL:
        raise PmError("task_not_ended", task=log.task_id)
    order = CompanyOrders(app).find(log.run_id)
    if order is None:
        raise PmError("nothing_to_undo", task=log.task_id)
    repository = run_repository(app, RunDirectory(app.paths.runs / order.run_id))
    undo = UndoBranches(app.paths.root, repository, app.recorder)
    return await undo.undo(log.session_id, log.task_id, order.ticket)
