"""What the user could run in the project directory, put together."""

import asyncio
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from typing_extensions import override

from pm_orchestrator.adapters.views.home_settings import HomeSettings
from pm_orchestrator.adapters.views.program_folders import ProgramFolders
from pm_orchestrator.bootstrap.environment import users_own
from pm_orchestrator.ports.gate_programs import OutsideChanges, Programs
from pm_orchestrator.ports.process import CommandRunner
from pm_orchestrator.runner.project.project import Project


class SoloPrograms(Programs):
    """The programs on the user's own search path."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._noted: tuple[ProgramFolders, HomeSettings | None] | None = None

    @cached_property
    def variables(self) -> Mapping[str, str]:
        """The environment as the user has it, without the one that this program lives in."""
        return users_own(self._project.variables, self._project.paths.root)

    @override
    async def can_run(self, argv: tuple[str, ...]) -> bool:
        project = self._project
        return await can_be_run(project.commands, project.paths.root, self.variables, argv)

    @override
    async def note(self) -> None:
        self._noted = await asyncio.to_thread(self._look)

    @override
    async def outside_changes(self) -> OutsideChanges:
        return await asyncio.to_thread(self._compared)

    def _look(self) -> tuple[ProgramFolders, HomeSettings | None]:
        root, home = self._project.paths.root, self.variables.get("HOME")
        programs = ProgramFolders.of(root, self.variables.get("PATH", ""))
        return programs, HomeSettings.of(Path(home), root) if home else None

    def _compared(self) -> OutsideChanges:
        if self._noted is None:
            return OutsideChanges()
        programs, home = self._noted
        settings = {} if home is None else home.before(self._project.paths.root)
        return OutsideChanges(newcomers=programs.newcomers(), settings=settings)


async def can_be_run(
    commands: CommandRunner, root: Path, variables: Mapping[str, str], argv: tuple[str, ...]
) -> bool:
    """Whether a program is there for who works in `root`, and the module that it is to run."""
    from pm_orchestrator.adapters.views.host_programs import HostPrograms
    from pm_orchestrator.gates.detect.base_tree import FINDS_MODULE, module_run_by

    programs = HostPrograms(commands, root, variables, FINDS_MODULE)
    program, module = programs.find(argv[0]), module_run_by(argv)
    if program is None or module is None:
        return program is not None
    return module == "unittest" or await programs.has_module(program, module)
