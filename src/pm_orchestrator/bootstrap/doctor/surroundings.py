"""What the checks look at, and how they say what they found."""

from pathlib import Path
from typing import Literal

import msgspec

from pm_orchestrator.adapters.stores.local_files import LocalFiles
from pm_orchestrator.adapters.subprocesses import LocalCommands
from pm_orchestrator.adapters.system_clock import RandomIds, SystemClock
from pm_orchestrator.bootstrap.config import load_settings
from pm_orchestrator.bootstrap.environment import Environment
from pm_orchestrator.domain.catalogue.doctor_texts import cure, diagnosis
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.record import Record
from pm_orchestrator.domain.setup.settings import Settings, default_settings
from pm_orchestrator.domain.text import Lang
from pm_orchestrator.ports.adapter import AdapterSite
from pm_orchestrator.ports.clock import Clock
from pm_orchestrator.ports.process import Command, CommandResult, CommandRunner
from pm_orchestrator.runner.layout import ProjectPaths

Level = Literal["ok", "note", "problem"]


class Finding(Record, frozen=True, kw_only=True):
    """One line of the examination."""

    check: str
    """What was looked at."""
    level: Level
    """`note` is worth knowing; only a `problem` counts for the exit code."""
    finding: str
    cure: str | None = None


class Surroundings(msgspec.Struct, frozen=True, kw_only=True):
    """One machine, one user, one directory. Nothing in it is changed by looking."""

    environment: Environment
    paths: ProjectPaths
    settings: Settings | None
    """None where there is no project, or its settings cannot be read."""
    commands: CommandRunner
    clock: Clock
    lang: Lang

    @property
    def chosen(self) -> Settings:
        """The settings, or those that a new project would get."""
        return self.settings or default_settings()

    @property
    def site(self) -> AdapterSite:
        """What an adapter is tried out with."""
        return AdapterSite(
            project=self.paths.root,
            directory=self.paths.state,
            variables=self.environment.keyless,
            search_path=self.environment.search_path,
            clock=self.clock,
            ids=RandomIds(),
            files=LocalFiles(self.clock),
            commands=self.commands,
        )

    def found(self, check: str, level: Level, key: str, /, **params: object) -> Finding:
        """A finding by its key in the catalogue."""
        return Finding(
            check=check,
            level=level,
            finding=diagnosis(key, self.lang, **params),
            cure=cure(key, self.lang, **params) if level != "ok" else None,
        )

    async def first_line(self, *argv: str, timeout_s: float = 10.0) -> tuple[bool, str]:
        """Run a program: whether it ended well, and the first line it said."""
        ended = await self.run(*argv, timeout_s=timeout_s)
        said = (ended.stdout if ended.exit_code == 0 else ended.stderr or ended.stdout).decode(
            errors="replace"
        )
        lines = [shown for line in said.splitlines() if (shown := _printable(line))]
        return ended.exit_code == 0, lines[0] if lines else ""

    async def run(self, *argv: str, timeout_s: float = 10.0) -> CommandResult:
        """Run a program.

        It runs outside the project, so that nothing there can steer it.
        """
        return await self.commands.run(
            Command(
                argv=argv,
                cwd=Path("/"),
                env=self.environment.variables,
                timeout_s=timeout_s,
                output_limit=10_000,
            )
        )


def _printable(line: str, most: int = 160) -> str:
    return "".join(c for c in line if c.isprintable()).strip()[:most]


def surroundings_at(environment: Environment, project_path: Path, lang: Lang) -> Surroundings:
    """The machine as it is seen from a directory, which need not be a project."""
    paths = ProjectPaths(project_path.expanduser().absolute())
    return Surroundings(
        environment=environment,
        paths=paths,
        settings=_settings(paths),
        commands=LocalCommands(),
        clock=SystemClock(),
        lang=lang,
    )


def _settings(paths: ProjectPaths) -> Settings | None:
    try:
        return load_settings(paths)
    except PmError:
        # The check of the settings says why.
        return None
