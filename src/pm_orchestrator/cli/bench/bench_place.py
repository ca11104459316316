"""Where a measurement works: a directory of its own, and a way to say how far it is."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import msgspec

from pm_orchestrator.bootstrap.environment import Environment
from pm_orchestrator.bootstrap.initialising import init_at
from pm_orchestrator.bootstrap.opening import open_project
from pm_orchestrator.cli.bench.ratios import Ratio
from pm_orchestrator.runner.project.project import Project


class History(msgspec.Struct, frozen=True):
    """A project with one session of some tasks, which nobody holds open."""

    opened: Project
    session_id: str


class BenchPlace(msgspec.Struct, frozen=True, kw_only=True):
    """One measurement's place; its projects keep nothing outside `folder` and `common`."""

    folder: Path
    common: Path
    """What all measurements of one `bench` share."""
    histories: dict[str, History]
    """Made by one of them, for those that follow."""
    environment: Environment
    tell: Callable[[int, int], None]
    """Takes how many tasks of how many are done, where that lasts."""

    async def open(self, project: Path) -> Project:
        """Make `project` a project of ours and open it."""
        await init_at(project, adopt=False)
        state = project.with_name(f"{project.name}.state")
        return await open_project(
            msgspec.structs.replace(self.environment, state_home=state), project
        )


Measure = Callable[[BenchPlace], Awaitable[list[Ratio]]]
