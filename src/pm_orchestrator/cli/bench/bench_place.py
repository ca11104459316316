"""Where a measurement works: a directory of its own, and a way to say how far it is."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import msgspec

from pm_orchestrator.bootstrap.environment import Environment
from pm_orchestrator.bootstrap.initialising import init_at
from pm_orchestrator.bootstrap.opening import open_project
from pm_orchestrator.cli.bench.ratios import Ratio
from pm_orchestrator.runner.project.project import Project


class BenchPlace(msgspec.Struct, frozen=True, kw_only=True):
    """One measurement's place; its projects keep nothing outside `folder`."""

    folder: Path
    environment: Environment
    tell: Callable[[int, int], None]
    """Takes how many tasks of how many are done, where that lasts."""

    async def open(self, project: Path) -> Project:
        """Make `project` a project of ours and open it."""
        await init_at(project, adopt=False)
        state = self.folder / f"{project.name}.state"
        return await open_project(
            msgspec.structs.replace(self.environment, state_home=state), project
        )


Measure = Callable[[BenchPlace], Awaitable[list[Ratio]]]
