"""An executor that returns at once, and the way every solo task goes around it."""

from collections.abc import Mapping
from pathlib import Path

from typing_extensions import override

from pm_orchestrator.bootstrap.environment import Environment
from pm_orchestrator.cli.bench.disk import run_git
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.judging.outcome import ExecutorClaim
from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.ports.executor import (
    Executor,
    ExecutorConfig,
    ExecutorFactory,
    ExecutorResult,
    ExecutorTask,
)
from pm_orchestrator.runner.project.project import Project
from pm_orchestrator.runner.sessions.open_session import OpenSession
from pm_orchestrator.runner.tasks.run_task import run_task

QUESTION = "What does part_0/file_0.py do?"
ANSWER = "It adds numbers and returns the sum."
PER_FOLDER = 50
SOURCE = "def add_{0}(first: int, second: int) -> int:\n    return first + second + {0}\n" * 10
AUTHOR = ("-c", "user.name=bench", "-c", "user.email=bench@localhost")
PLAIN = ("-c", "commit.gpgSign=false", "-c", "core.hooksPath=/dev/null", "-c", "gc.auto=0")


class InstantExecutor(Executor):
    """Answers the question it is asked; whatever a task costs with it is the Runner's.

    `work` are files that it writes on the way.
    """

    def __init__(self, work: Mapping[Path, str]) -> None:
        self._work = work

    @property
    @override
    def name(self) -> str:
        return "instant"

    @override
    async def problem(self) -> str | None:
        return None

    @override
    async def execute(self, task: ExecutorTask) -> ExecutorResult:
        for path, text in self._work.items():
            path.write_text(text, encoding="utf-8")
        claim = ExecutorClaim(kind="finished", summary=ANSWER)
        return ExecutorResult(claim=claim, exit_code=0, transcript=ANSWER)


class InstantExecutors(ExecutorFactory):
    """Makes no other."""

    def __init__(self, work: Mapping[Path, str] | None = None) -> None:
        self._work = work or {}

    @override
    def create(self, config: ExecutorConfig) -> Executor:
        return InstantExecutor(self._work)


def make_git_project(environment: Environment, project: Path, files: int) -> None:
    """A committed git project of that many source files."""
    for number in range(files):
        path = project / f"part_{number // PER_FOLDER}" / f"file_{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(SOURCE.format(number), encoding="utf-8")
    commit_all(environment, project)


def commit_all(environment: Environment, project: Path) -> None:
    """Make a repository of what lies there."""
    run_git(environment, project, "init", "--quiet")
    run_git(environment, project, "add", "--all")
    run_git(environment, project, *AUTHOR, *PLAIN, "commit", "--quiet", "--message", "All of it")


async def run_instant_task(
    opened: Project, session: OpenSession, instruction: str = QUESTION
) -> None:
    """One whole task, as `run --solo` carries it out.

    Raises:
        PmError: E905 when it did not complete: then its time means nothing.
    """
    end = await run_task(opened, instruction, session=session)
    if end.status is not TaskStatus.COMPLETE:
        reason = f"a measured task ended as {end.status}: {end.reason.say()}"
        raise PmError("program_fault", reason=reason)
