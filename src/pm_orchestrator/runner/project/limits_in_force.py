"""The limits that one task is held to: what is set, or what a person allowed it instead.

A task that goes on keeps what it was allowed: it is judged over all its runs, and what was
fine in the first cannot be too much in the second.
"""

from typing import TYPE_CHECKING

from msgspec.structs import replace

from pm_orchestrator.domain.history.report import RunReport
from pm_orchestrator.domain.history.task_log import TaskLog
from pm_orchestrator.domain.record import MalformedRecordError, from_json
from pm_orchestrator.domain.tasks.task import AskedLimits, TaskLimits
from pm_orchestrator.runner.project.crew import TaskOptions
from pm_orchestrator.runner.project.project import Project

if TYPE_CHECKING:
    from pm_orchestrator.domain.company.spending import Caps

MINUTE = 60
NOTHING_ASKED = AskedLimits()


def limited(project: Project, options: TaskOptions, goes_on: TaskLog | None = None) -> Project:
    """The project with the limits of one task; `goes_on` is the log of what it did before."""
    return _within(_capped(project, options.get("caps")), options.get("limits"), goes_on)


def _capped(project: Project, caps: "Caps | None") -> Project:
    """With what it may spend instead of what the settings say."""
    if caps is None:
        return project
    budgets = project.settings.budgets
    budgets = replace(
        budgets,
        tokens=caps.tokens or budgets.tokens,
        usd=budgets.usd if caps.usd is None else float(caps.usd),
        turns=caps.turns or budgets.turns,
    )
    return replace(project, settings=replace(project.settings, budgets=budgets))


def _within(project: Project, asked: AskedLimits | None, goes_on: TaskLog | None) -> Project:
    limits = project.settings.task_limits
    kept = None if goes_on is None else _of_last_run(project, goes_on)
    asked = asked or NOTHING_ASKED
    if kept is not None:
        limits = replace(
            limits,
            files=max(limits.files, kept.max_files),
            tests=max(limits.tests, kept.max_tests),
            seconds=max(limits.seconds, kept.max_seconds),
        )
    if asked.files is not None:
        limits = replace(limits, files=asked.files)
    minutes = project.settings.budgets.minutes
    seconds = minutes * MINUTE if minutes is not None else None
    if asked.seconds is not None or seconds is not None:
        limits = replace(limits, seconds=asked.seconds or seconds)
    if limits == project.settings.task_limits:
        return project
    return replace(project, settings=replace(project.settings, task_limits=limits))


def _of_last_run(project: Project, log: TaskLog) -> TaskLimits | None:
    """What its report says; one that was cut off may have none."""
    path = project.paths.runs / log.run_id / "report.json"
    try:
        report = from_json(RunReport, project.files.read(path), str(path))
    except (FileNotFoundError, MalformedRecordError):
        return None
    own = (task for task in report.tasks if task.task_id == log.task_id)
    found = next(own, None)
    return None if found is None else found.granularity_limits
