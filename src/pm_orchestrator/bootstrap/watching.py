"""Looking at runs of an opened project from outside."""

from pm_orchestrator.bootstrap.application import Application
from pm_orchestrator.runner.sessions.run_list import RunLine, run_lines
from pm_orchestrator.runner.sessions.run_watch import RunWatch


def run_watch(app: Application) -> RunWatch:
    """Finds and follows the project's runs."""
    return RunWatch(app.book, app.files, app.paths, app.clock, app.is_alive)


def runs_of(app: Application) -> tuple[RunLine, ...]:
    """The project's runs, oldest first."""
    return run_lines(app.book, app.paths, app.is_alive)
