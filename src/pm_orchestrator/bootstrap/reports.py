"""The report of a solo task, beside its run: written at every end, whatever it was."""

from pathlib import Path

from msgspec.structs import replace

from pm_orchestrator.bootstrap.application import Application
from pm_orchestrator.domain.record import from_json, to_file
from pm_orchestrator.domain.report import RunReport
from pm_orchestrator.evidence.task_inventory import task_inventory
from pm_orchestrator.gates.executor_output import speculation
from pm_orchestrator.runner.new_task import NewTask
from pm_orchestrator.runner.open_session import OpenSession
from pm_orchestrator.runner.session_view import SessionView, view
from pm_orchestrator.runner.solo_report import solo_report


async def save_report(
    app: Application, session: OpenSession, task: NewTask, model: str | None
) -> RunReport:
    """Make the report from the closed log and put it into the run's folder."""
    log = session.book.read(session.session_id, task.task_id)
    said = log.executor_summary if isinstance(log.executor_summary, str) else ""
    report = solo_report(
        log,
        app.settings,
        task_inventory(app.files, app.paths.claude, log.evidence_refs),
        executor=task.executor,
        model=model,
        speculative=speculation(said) is not None,
    )
    await app.files.replace(_path(app, task.run_id), to_file(report))
    return report


def view_with_report(app: Application, session_or_run: str) -> SessionView:
    """How a session or a run stands, with the report of the last run of it.

    Raises:
        PmError: E210 for an id of neither.
    """
    shown = view(app.book, session_or_run)
    if not shown.runs:
        return shown
    path = _path(app, shown.runs[-1].run_id)
    try:
        data = app.files.read(path)
    except FileNotFoundError:
        # A run of the company has a result of its own kind; one that still works has none.
        return shown
    return replace(shown, report=from_json(RunReport, data, str(path)))


def _path(app: Application, run_id: str) -> Path:
    return app.paths.runs / run_id / "report.json"
