"""Looking at runs of an opened project from outside."""

from collections.abc import Callable

from pm_orchestrator.adapters.stores.owner_survey import living_owner
from pm_orchestrator.bootstrap.application import Application
from pm_orchestrator.runner.run_list import RunLine, run_lines
from pm_orchestrator.runner.run_watch import RunWatch


def run_watch(app: Application) -> RunWatch:
    """Finds and follows the project's runs."""
    return RunWatch(app.book, app.files, app.paths, app.clock, _lives(app))


def runs_of(app: Application) -> tuple[RunLine, ...]:
    """The project's runs, oldest first."""
    return run_lines(app.book, app.paths, _lives(app))


def _lives(app: Application) -> Callable[[str], bool]:
    return lambda session: living_owner(app.paths.owners / f"{session}.json") is not None
