"""A company of nobody in memory: how the run of a task ends is up to the test."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from pathlib import Path
from typing import Any

from pm_orchestrator.bootstrap.environment import read_environment
from pm_orchestrator.bootstrap.initialising import init_at
from pm_orchestrator.bootstrap.opening import open_project
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.report import RunResult
from pm_orchestrator.domain.judging.outcome import Reason
from pm_orchestrator.domain.record import to_file
from pm_orchestrator.domain.tasks.evidence_record import EvidenceSummary
from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.evidence.records.open_log import OpenLog
from pm_orchestrator.ports.engine import StepFailedError, failure_of
from pm_orchestrator.runner.project.crew import Going, Workplace
from pm_orchestrator.runner.project.project import Project
from pm_orchestrator.runner.records.task_run import TaskRun
from pm_orchestrator.runner.run.kept import KeptInMemory
from pm_orchestrator.runner.run.steps import RunEnd, RunOrder
from pm_orchestrator.runner.sessions.open_session import OpenSession
from pm_orchestrator.testing.memory.memory_place import MemoryPlace

NOTHING_FOUND = EvidenceSummary(
    files_expected=(),
    files_verified=(),
    files_missing=(),
    verification_passed=True,
    verification_reason="",
    verified_files=(),
)


class MemoryCrew:
    """A company of nobody: its runs end as `act` says."""

    name = "company"
    in_directory = False
    selection = None

    def __init__(self, project: Project) -> None:
        self._project = project
        self.act: Callable[[], Awaitable[TaskStatus]] = self.completes
        self.ordered = True
        self.opens = True
        self.proved: list[str] = []
        self.goings: list[Going] = []
        self.runs: list[str] = []

    async def completes(self) -> TaskStatus:
        return TaskStatus.COMPLETE

    def raises(self, error: BaseException) -> None:
        """A run ends with this from now on."""

        async def act() -> TaskStatus:
            raise error

        self.act = act

    def fails_in_step(self, error: PmError) -> None:
        """A step of it does."""
        failed = StepFailedError("execute", failure_of(error))
        failed.__cause__ = error
        self.raises(failed)

    async def ready(self) -> None:
        """Always."""

    def to_itself(self, held: OpenSession | None) -> AbstractAsyncContextManager[None]:
        return nullcontext()

    @asynccontextmanager
    async def at_work(
        self, task: TaskRun, going: Going, log: OpenLog, session: OpenSession
    ) -> AsyncGenerator[Workplace]:
        if not self.opens:
            raise asyncio.CancelledError
        self.goings.append(going)
        self.runs.append(task.run_id)
        order = RunOrder(
            run_id=task.run_id,
            session_id=task.session_id,
            task_id=task.task_id,
            ticket="20260115-ab12",
            way="company",
            instruction=going.instruction,
            project=str(task.root),
        )
        if self.ordered:
            await self._project.files.replace(
                self._project.paths.run(task.run_id).order, to_file(order)
            )
        place = MemoryPlace({}, {})
        kept = KeptInMemory()
        yield Workplace(
            order=order, engine=_Acts(self, kept), place=place, kept=kept, accepted=self.proved
        )


class _Acts:
    def __init__(self, crew: MemoryCrew, kept: KeptInMemory) -> None:
        self._crew = crew
        self._kept = kept

    async def execute(self, code: object, given: Any, output: type[Any]) -> Any:
        status = await self._crew.act()
        result = RunResult(
            session_id=given.session_id,
            task_id=given.task_id,
            run_id=given.run_id,
            ticket_id=given.ticket,
            status=status,
            reason=Reason(key="all_proved", params={"count": "0"}),
            instruction=given.instruction,
            changes=(),
            summary=NOTHING_FOUND,
        )
        return RunEnd(status=status, result=await self._kept.keep("result", result))


async def crewed_project(folder: Path) -> tuple[Project, MemoryCrew]:
    """A project in `folder` in which it works."""
    root = folder / "project"
    root.mkdir()
    await init_at(root, adopt=False)
    home = str(folder)
    variables = {"HOME": home, "PATH": home, "XDG_STATE_HOME": home}
    project = await open_project(read_environment(variables), root)
    crew = MemoryCrew(project)
    project.crews = lambda _, __, ___: crew
    return project, crew
