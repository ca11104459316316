"""The report and the result of a task, beside its run: written at every end."""

from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from pm_orchestrator.domain.history.report import RunReport, RunResult
from pm_orchestrator.domain.history.task_log import TaskLog
from pm_orchestrator.domain.record import MalformedRecordError, from_json, to_file
from pm_orchestrator.domain.tasks.task import LimitViolation
from pm_orchestrator.evidence.records.task_inventory import task_inventory
from pm_orchestrator.gates.judge.executor_output import speculation
from pm_orchestrator.runner.layout import RunDirectory
from pm_orchestrator.runner.project.project import Project
from pm_orchestrator.runner.records.task_report import ReportDetails, task_report
from pm_orchestrator.runner.records.task_run import TaskRun
from pm_orchestrator.runner.run.kept import KeptFiles
from pm_orchestrator.runner.run.phases.reporting import RESULT
from pm_orchestrator.runner.sessions.open_session import OpenSession

if TYPE_CHECKING:
    from pm_orchestrator.runner.sessions.session_view import SessionView


async def save_report(
    project: Project,
    session: OpenSession,
    task: TaskRun,
    model: str | None,
    result: RunResult | None,
    overrun: tuple[LimitViolation, ...] = (),
) -> RunReport:
    """Make the report from the closed log and put it into the run's folder.

    `overrun` are limits that were broken by a task that came to no result.
    """
    log = session.book.read(session.session_id, task.task_id)
    parts: dict[str, TaskLog] = {}
    if result is not None and result.work:
        from pm_orchestrator.runner.sessions.part_logs import parts_of

        parts = parts_of(session, task.task_id)
    said = log.executor_summary if isinstance(log.executor_summary, str) else ""
    report = task_report(
        log,
        project.settings,
        task_inventory(project.files, project.paths.claude, log.evidence_refs),
        ReportDetails(
            executor=task.executor,
            model=model,
            speculative=speculation(said) is not None,
            work=() if result is None else result.work,
            overrun=overrun if result is None else result.violations,
            parts=parts,
        ),
    )
    await project.files.replace(_path(project, task.run_id), to_file(report))
    return report


async def save_result(project: Project, directory: RunDirectory, result: RunResult) -> None:
    """Put the whole result of a run into its folder, for programs and for people."""
    if not result.work:
        # In solo the log, the report and the project itself say it all.
        return
    from pm_orchestrator.runner.run.run_report import summary_page

    await project.files.replace(directory.result, to_file(result))
    await project.files.replace(directory.summary, summary_page(result).encode())


def result_of(project: Project, run_id: str) -> RunResult | None:
    """The result of a company run; None where it has none, or one of an older form."""
    run = project.paths.run(run_id)
    try:
        return from_json(RunResult, project.files.read(run.result), str(run.result))
    except (FileNotFoundError, MalformedRecordError):
        return None


def kept_result(project: Project, run_id: str) -> RunResult | None:
    """The result as the run itself kept it, before its task's log was closed."""
    kept = KeptFiles(project.files, project.paths.run(run_id).kept, project.masker)
    try:
        return kept.read(RunResult, RESULT)
    except FileNotFoundError:
        return None


def view_with_report(project: Project, session_or_run: str) -> "SessionView":
    """How a session or a run stands, with the report of the last run of a whole task in it.

    Raises:
        PmError: E210 for an id of neither.
    """
    from pm_orchestrator.runner.project.spent_on_models import spent_by_runs
    from pm_orchestrator.runner.sessions.session_view import view

    shown = view(project.book, session_or_run)
    shown = replace(shown, spent=spent_by_runs(project, [run.run_id for run in shown.runs]))
    of_tasks = {entry.run_id for entry in shown.tasks if entry.parent_task_id is None}
    reported = [run.run_id for run in shown.runs if run.run_id in of_tasks]
    if not reported:
        return shown
    # One that still works has none.
    report = report_of(project, reported[-1])
    return shown if report is None else replace(shown, report=report)


def report_of(project: Project, run_id: str) -> RunReport | None:
    """The report of a run that has ended."""
    path = _path(project, run_id)
    try:
        data = project.files.read(path)
    except FileNotFoundError:
        return None
    return from_json(RunReport, data, str(path))


def _path(project: Project, run_id: str) -> Path:
    return project.paths.runs / run_id / "report.json"
