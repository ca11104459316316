"""A run's repository over real git, with its log in memory."""

from collections.abc import Mapping
from pathlib import Path

import msgspec
from typing_extensions import override

from pm_orchestrator.adapters.git.command import (
    Git,
    GitLogLine,
    isolated_environment,
    user_environment,
)
from pm_orchestrator.adapters.git.run.run_repository import MAX_BUNDLE, RunRepository
from pm_orchestrator.adapters.subprocesses import LocalCommands
from pm_orchestrator.ports.process import (
    Channel,
    Command,
    CommandResult,
    CommandRunner,
    ProcessWatcher,
)
from pm_orchestrator.testing.benches.git_project import ENVIRONMENT
from pm_orchestrator.testing.memory.fake_clock import FakeClock


class CountedCommands(CommandRunner):
    """Runs real commands and remembers them."""

    def __init__(self, real: CommandRunner) -> None:
        self._real = real
        self.seen: list[Command] = []

    @override
    async def run(self, command: Command) -> CommandResult:
        self.seen.append(command)
        return await self._real.run(command)

    @override
    async def follow(self, command: Command, watcher: ProcessWatcher) -> CommandResult:
        raise NotImplementedError

    @override
    async def open(self, command: Command) -> Channel:
        raise NotImplementedError


class RunBench:
    """A `RunRepository` with everything around it that a test wants to see."""

    def __init__(
        self,
        folder: Path,
        max_bundle: int = MAX_BUNDLE,
        user_env: Mapping[str, str] = ENVIRONMENT,
    ) -> None:
        self.directory = folder / "repository.git"
        supervising = LocalCommands()
        self.commands = CountedCommands(supervising)
        self.trusted = CountedCommands(supervising.trusted())
        self.clock = FakeClock()
        self.log: list[str] = []
        path = user_env.get("PATH", "")
        self.git = Git(self.trusted, self.clock, self._keep, isolated_environment(path))
        self.repository = RunRepository(
            self.directory,
            base=folder / "base.git",
            git=self.git,
            as_user=Git(self.commands, self.clock, self._keep, user_environment(user_env)),
            clock=self.clock,
            max_bundle=max_bundle,
        )

    async def _keep(self, line: str) -> None:
        self.log.append(line)

    def lines(self) -> list[GitLogLine]:
        return [msgspec.json.decode(line, type=GitLogLine, strict=True) for line in self.log]
