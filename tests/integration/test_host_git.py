"""Which door git goes through: the light one, but for a push, which starts what users configure."""

from pathlib import Path
from typing import ClassVar

from typing_extensions import override

from pm_orchestrator.adapters.processes.zygote import SUPERVISED, TRUSTED
from pm_orchestrator.adapters.subprocesses import LocalCommands
from pm_orchestrator.adapters.system_clock import SystemClock
from pm_orchestrator.bootstrap.environment import read_environment
from pm_orchestrator.bootstrap.host_git import HostGit
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.ports.process import Command, CommandResult
from pm_orchestrator.runner.layout import RunDirectory
from pm_orchestrator.testing.benches.git_project import ENVIRONMENT, GitProject


class Doors(LocalCommands):
    """Remembers which door each program went through."""

    used: ClassVar[list[tuple[bytes, tuple[str, ...]]]] = []

    @override
    async def run(self, command: Command) -> CommandResult:
        self.used.append((self._kind, tuple(command.argv)))
        return await super().run(command)


async def test_only_a_push_is_supervised(tmp_path: Path) -> None:
    Doors.used.clear()
    project = GitProject(tmp_path / "project")
    project.write("a.txt", "a\n")
    project.commit("start")
    remote = GitProject(tmp_path / "remote", "--bare")
    project.git("remote", "add", "origin", str(remote.path))
    project.git("branch", "agent/done")
    environment = read_environment({**ENVIRONMENT, "HOME": str(tmp_path)})
    git = HostGit(project.path, environment, Doors(), SystemClock(), Masker())
    run = RunDirectory(tmp_path / "run_001")

    assert await git.checkout(run).remote() == "origin"
    repository = git.repository(run)
    base = await repository.import_base(project.path, "HEAD")
    await repository.push(project.path, "origin", "agent/done")

    assert remote.git("rev-parse", "agent/done") == base
    doors = {kind for kind, argv in Doors.used if "push" not in argv}
    assert doors == {TRUSTED}
    assert [kind for kind, argv in Doors.used if "push" in argv] == [SUPERVISED]
