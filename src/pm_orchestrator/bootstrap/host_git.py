"""Git on the host for one project, each call logged with the run that it was made for."""

from collections.abc import Awaitable, Callable
from pathlib import Path

from pm_orchestrator.adapters.git.command import Git, isolated_environment, user_environment
from pm_orchestrator.adapters.git.user.git_checkout import GitCheckout
from pm_orchestrator.adapters.subprocesses import LocalCommands
from pm_orchestrator.bootstrap.environment import Environment
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.evidence.records.run_log import RunLogs
from pm_orchestrator.ports.clock import Clock
from pm_orchestrator.ports.repository import Repository
from pm_orchestrator.runner.layout import RunDirectory

GitLog = Callable[[str], Awaitable[None]]


class HostGit:
    """Makes what asks git, for one project."""

    def __init__(
        self,
        root: Path,
        environment: Environment,
        commands: LocalCommands,
        clock: Clock,
        masker: Masker,
    ) -> None:
        self._root = root
        self._environment = environment
        self._commands = commands
        self._clock = clock
        self._masker = masker

    def git(self, run: RunDirectory | None) -> Git:
        """Git itself, with nothing of the user's environment."""
        log = _nowhere if run is None else self._log(run)
        isolated = isolated_environment(self._environment.search_path)
        return Git(self._commands.trusted(), self._clock, log, isolated)

    def repository(self, run: RunDirectory) -> Repository:
        """The repository of one run."""
        # Only a company has one.
        from pm_orchestrator.adapters.git.run.run_repository import RunRepository

        return RunRepository(
            run.repository,
            base=run.base,
            git=self.git(run),
            # A push starts what the user has configured, so it is supervised like any such program.
            as_user=Git(
                self._commands,
                self._clock,
                self._log(run),
                user_environment(self._environment.variables),
            ),
            clock=self._clock,
        )

    def checkout(self, run: RunDirectory | None) -> GitCheckout:
        """The user's own repository."""
        return GitCheckout(self.git(run), self._root)

    def _log(self, run: RunDirectory) -> GitLog:
        logs = RunLogs(run.folder, self._masker, self._clock)

        async def write(line: str) -> None:
            # An executor may have taken the directory away; the calls after it are still logged.
            run.folder.mkdir(parents=True, exist_ok=True)
            await logs.json_line("git.log", line)

        return write


async def _nowhere(_line: str) -> None:
    """There is no run whose log it could be."""
