"""A place as the product puts it together, with an agent that does what a script says."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

from typing_extensions import override

from pm_orchestrator.domain.company.assignment import Assignment, AttemptResult
from pm_orchestrator.domain.errors import RetryableError
from pm_orchestrator.domain.history.session import RunStatus, RunTrigger
from pm_orchestrator.domain.judging.outcome import ExecutorClaim
from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.domain.tasks.task import SubTask
from pm_orchestrator.ports.executor import ExecutorResult, ExecutorTask
from pm_orchestrator.runner.places.place import Place, Seen
from pm_orchestrator.runner.project.crew import Crew, Going
from pm_orchestrator.runner.project.project import Project
from pm_orchestrator.runner.project.project_sessions import ledger_of, start_session
from pm_orchestrator.runner.records.task_bounds import begin, finish
from pm_orchestrator.runner.records.task_run import TaskRun
from pm_orchestrator.runner.run.steps import RunOrder
from pm_orchestrator.runner.sessions.open_session import OpenSession
from pm_orchestrator.testing.scripted.fake_executors import FakeExecutor

INSTRUCTION = "Do it"
Ending = Literal["delivers", "leaves", "breaks"]
"""What an agent does after its work: hands it over, leaves it lying, or loses its model."""
Tell = Callable[[str, Ending], None]
"""Says what the agent does next."""


class ShellAgent(FakeExecutor):
    """Runs a script where it works; which one, is set from outside."""

    def __init__(self) -> None:
        super().__init__()
        self.script = ""
        self.breaks = False

    @override
    async def answer(self, task: ExecutorTask) -> ExecutorResult:
        done = await task.hands.run(("sh", "-ec", self.script))
        assert done.exit_code == 0, done.stderr
        if self.breaks:
            raise RetryableError("model_unavailable", reason="busy")
        return ExecutorResult(claim=ExecutorClaim(kind="finished", summary="Done."), exit_code=0)


class Stage:
    """One run of one task, with its place."""

    def __init__(self, place: Place, order: RunOrder, project: Path, told: Tell) -> None:
        self.place = place
        self.project = project
        self._order = order
        self._told = told
        self._attempt = 0
        self._start = order.base
        self.delivered: str | None = None
        """The tree of the last attempt, by the name its worker gives it."""

    async def begin(self, *named: str) -> None:
        """What is there before anybody works."""
        await self.place.open()
        await self.place.begin(named)

    async def work(self, script: str, ending: Ending = "delivers") -> AttemptResult:
        """Let the agent run `script` where it works, and deliver."""
        self._told(script, ending)
        self._attempt += 1
        ticket = f"{self._order.ticket}-01"
        assignment = Assignment(
            run_id=self._order.run_id,
            task_id=self._order.task_id,
            sub_task=SubTask(
                ticket=ticket,
                parent_id=self._order.ticket,
                title="It",
                description=INSTRUCTION,
                acceptance_criteria=("it is done",),
                expected_files=(),
            ),
            branch=f"agent/{ticket}-it",
            start=self._start,
            attempt=self._attempt,
            feedback="",
            model="scripted",
            max_turns=9,
        )
        result = await self.place.attempt(assignment)
        self.delivered = result.commit or self.delivered
        self._start = self.delivered or self._start
        return result

    async def look(self, *wanted: str) -> Seen:
        """What is there now."""
        return await self.place.look(self.delivered, wanted)


class PlaceBench:
    """Runs of one task after the other, in one project."""

    def __init__(self, app: Project, crew: Crew, told: Tell) -> None:
        self.app = app
        self._crew = crew
        self._told = told
        self._session: OpenSession | None = None
        self._task: TaskRun | None = None

    @asynccontextmanager
    async def run(self) -> AsyncGenerator[Stage]:
        """A run of the task; the second one goes on where the first ended."""
        app, crew = self.app, self._crew
        if self._session is None:
            self._session = await start_session(app)
        task = self._next(self._session)
        earlier = None if self._task is None else self._task.run_id
        self._task = task
        ledger = ledger_of(app, in_directory=crew.in_directory)
        log = await begin(app.book, task, ledger)
        going = Going(instruction=INSTRUCTION, earlier=earlier)
        async with crew.at_work(task, going, log, self._session) as workplace:
            yield Stage(workplace.place, workplace.order, app.paths.root, self._told)
        await log.close(TaskStatus.INCOMPLETE, "a test", runner_decision="reject")
        await finish(app.book, task, ledger, RunStatus.COMPLETED)

    async def leave(self) -> None:
        if self._session is not None:
            await self._session.leave()

    def _next(self, session: OpenSession) -> TaskRun:
        run_id = self.app.paths.new_run().run_id
        if self._task is None:
            way = "solo" if self._crew.in_directory else "company"
            return session.new_task(run_id, INSTRUCTION, self._crew.name, way)
        log = self.app.book.read(session.session_id, self._task.task_id)
        return session.same_task(log, run_id, self._crew.name, RunTrigger.CONTINUATION)
