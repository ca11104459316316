"""Looking at runs of an opened project from outside."""

from msgspec.structs import replace

from pm_orchestrator.runner.project.project import Project
from pm_orchestrator.runner.project.spent_on_models import spent_by_run
from pm_orchestrator.runner.sessions.run_list import RunLine, run_lines
from pm_orchestrator.runner.sessions.run_watch import RunWatch


def run_watch(project: Project) -> RunWatch:
    """Finds and follows the project's runs."""
    return RunWatch(project.book, project.files, project.paths, project.clock, project.is_alive)


def runs_of(project: Project) -> tuple[RunLine, ...]:
    """The project's runs, oldest first."""
    spent = spent_by_run(project)
    return tuple(
        replace(line, spent=spent.get(line.run_id))
        for line in run_lines(project.book, project.paths, project.is_alive)
    )
