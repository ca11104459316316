"""Initialising a project: made, opened, and put on its own record."""

from pathlib import Path

from pm_orchestrator.adapters.stores.local_files import LocalFiles
from pm_orchestrator.adapters.system_clock import SystemClock
from pm_orchestrator.bootstrap.config import parse_settings, project_directory
from pm_orchestrator.bootstrap.environment import Environment
from pm_orchestrator.bootstrap.opening import open_project
from pm_orchestrator.runner.layout import ProjectPaths
from pm_orchestrator.runner.project.init_project import init_project, record_init


async def init_at(path: Path, *, adopt: bool) -> list[Path]:
    """Make the directory `path` a project, with nothing on record yet; returns what was created.

    Raises:
        PmError: as `initialise`.
    """
    paths = ProjectPaths(project_directory(path))
    return await init_project(paths, LocalFiles(SystemClock()), parse_settings, adopt=adopt)


async def initialise(environment: Environment, path: Path, *, adopt: bool) -> list[Path]:
    """Make `path` a project; returns what was created.

    Raises:
        PmError: E210 when something is there and `adopt` was not asked for; E102 to E105.
    """
    made = await init_at(path, adopt=adopt)
    await record_init(await open_project(environment, path), made)
    return made
