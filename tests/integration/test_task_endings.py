"""Every way in which a run can end, told to whoever asked for it, with its records closed."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from pathlib import Path
from typing import Any

import pytest

from pm_orchestrator.bootstrap.environment import read_environment
from pm_orchestrator.bootstrap.initialising import init_at
from pm_orchestrator.bootstrap.opening import open_project
from pm_orchestrator.domain.errors import NeedsPersonError, PmError, RetryableError
from pm_orchestrator.domain.history.report import RunResult
from pm_orchestrator.domain.history.task_log import TaskLogStatus
from pm_orchestrator.domain.judging.outcome import Reason
from pm_orchestrator.domain.record import to_file
from pm_orchestrator.domain.tasks.evidence_record import EvidenceSummary
from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.domain.tasks.task import TaskResult
from pm_orchestrator.evidence.records.open_log import OpenLog
from pm_orchestrator.ports.engine import StepFailedError, failure_of
from pm_orchestrator.runner.project.crew import Going, Workplace
from pm_orchestrator.runner.project.looking import runs_of
from pm_orchestrator.runner.project.project import Project
from pm_orchestrator.runner.records.interruption import StoppedRunError, TaskInterruptedError
from pm_orchestrator.runner.records.task_run import TaskRun
from pm_orchestrator.runner.run.kept import KeptInMemory
from pm_orchestrator.runner.run.steps import RunEnd, RunOrder
from pm_orchestrator.runner.sessions.open_session import OpenSession
from pm_orchestrator.runner.tasks.cancel import cancel_task
from pm_orchestrator.runner.tasks.resume import resume_run
from pm_orchestrator.runner.tasks.run_task import run_task
from pm_orchestrator.testing.memory.memory_place import MemoryPlace

NOTHING_FOUND = EvidenceSummary(
    files_expected=(),
    files_verified=(),
    files_missing=(),
    verification_passed=True,
    verification_reason="",
    verified_files=(),
)
BUSY = RetryableError("model_unavailable", reason="busy")
BROKEN = PmError("git_failed", operation="merge", reason="it is broken")


class Desk:
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
    def __init__(self, desk: Desk, kept: KeptInMemory) -> None:
        self._desk = desk
        self._kept = kept

    async def execute(self, code: object, given: Any, output: type[Any]) -> Any:
        status = await self._desk.act()
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


@pytest.fixture
async def project(tmp_path: Path) -> Project:
    root = tmp_path / "project"
    root.mkdir()
    await init_at(root, adopt=False)
    home = str(tmp_path)
    variables = {"HOME": home, "PATH": home, "XDG_STATE_HOME": home}
    return await open_project(read_environment(variables), root)


@pytest.fixture
def desk(project: Project) -> Desk:
    made = Desk(project)
    project.crews = lambda _, __, ___: made
    return made


def status_of(project: Project) -> TaskLogStatus:
    """Of the only task."""
    (line,) = runs_of(project)
    return project.book.read(line.session_id, line.task_id or "").status


async def test_the_end_is_told_when_the_records_are_closed(project: Project, desk: Desk) -> None:
    told: list[TaskResult] = []
    end = await run_task(project, "Add it", way="company", ended=told.append)
    assert end.status is TaskStatus.COMPLETE
    assert [result.task_id for result in told] == [end.task_id]
    assert status_of(project) is TaskLogStatus.COMPLETE
    assert desk.goings == [Going(instruction="Add it")]


@pytest.mark.parametrize(
    ("error", "ordered", "taken_up"),
    [
        (BUSY, True, True),
        (BUSY, False, False),
        (BROKEN, True, False),
        (NeedsPersonError("ask_target"), True, False),
    ],
    ids=["passes", "never began", "for good", "asks"],
)
async def test_only_what_may_pass_names_the_command_that_goes_on(
    project: Project, desk: Desk, error: PmError, *, ordered: bool, taken_up: bool
) -> None:
    desk.fails_in_step(error)
    desk.ordered = ordered
    told: list[TaskResult] = []
    with pytest.raises(PmError) as raised:
        await run_task(project, "Add it", way="company", ended=told.append)
    assert raised.value.slug == error.slug, "the step of ours it happened in is nobody's concern"
    assert isinstance(raised.value, StoppedRunError) is taken_up
    assert ("resume" in raised.value.hint()) is taken_up
    assert len(told) == 1
    (line,) = runs_of(project)
    (kept,) = (project.paths.runs / line.run_id).glob("errors.log")
    assert error.code in kept.read_text("utf-8")


async def test_a_fault_of_ours_is_kept_whole(project: Project, desk: Desk) -> None:
    desk.raises(LookupError("no such thing"))
    with pytest.raises(PmError) as raised:
        await run_task(project, "Add it", way="company")
    assert raised.value.slug == "runner_fault"
    (line,) = runs_of(project)
    trace = (project.paths.runs / line.run_id / "errors.log").read_text("utf-8")
    assert "Traceback" in trace
    assert "no such thing" in trace


async def test_stopped_work_says_what_was_proved(project: Project, desk: Desk) -> None:
    desk.raises(asyncio.CancelledError())
    desk.proved = ["20260115-ab12-01"]
    told: list[TaskResult] = []
    with pytest.raises(TaskInterruptedError) as stopped:
        await run_task(project, "Add it", way="company", ended=told.append)
    assert stopped.value.done == ("20260115-ab12-01",)
    assert len(told) == 1
    assert status_of(project) is TaskLogStatus.INCOMPLETE


async def test_work_that_was_stopped_before_it_began_has_nothing_to_say(
    project: Project, desk: Desk
) -> None:
    desk.opens = False
    with pytest.raises(TaskInterruptedError) as stopped:
        await run_task(project, "Add it", way="company")
    assert (stopped.value.done, stopped.value.kept) == ((), ())
    assert status_of(project) is TaskLogStatus.INCOMPLETE


async def test_a_stop_before_anything_is_on_record_leaves_nothing_to_close(
    project: Project, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def stopped(*_: object) -> RunResult:
        raise asyncio.CancelledError

    monkeypatch.setattr(OpenSession, "carry_out", stopped)
    with pytest.raises(asyncio.CancelledError) as stop:
        await run_task(project, "Add it", way="company")
    assert not isinstance(stop.value, TaskInterruptedError)
    assert runs_of(project) == ()
    assert desk.runs == []


async def test_another_process_stops_the_work(project: Project, desk: Desk) -> None:
    began = asyncio.Event()

    async def wait() -> TaskStatus:
        began.set()
        await asyncio.sleep(60)
        return TaskStatus.COMPLETE

    desk.act = wait
    work = asyncio.create_task(run_task(project, "Add it", way="company"))
    await began.wait()
    (line,) = runs_of(project)
    log = await cancel_task(project, line.task_id or "")
    assert log.status is TaskLogStatus.INCOMPLETE
    with pytest.raises(TaskInterruptedError):
        await work


async def test_a_run_that_was_cut_off_is_taken_up_under_its_id(
    project: Project, desk: Desk
) -> None:
    desk.fails_in_step(BUSY)
    with pytest.raises(StoppedRunError):
        await run_task(project, "Add it", way="company")
    (run_id,) = desk.runs
    # Somebody asked the run to stop in its earlier life; that is over.
    await project.files.replace(project.paths.run(run_id).cancel, b"cancel\n")
    desk.act = desk.completes
    end = await resume_run(project, run_id)
    assert (end.run_id, end.status) == (run_id, TaskStatus.COMPLETE)
    assert desk.goings[-1].resumed
    assert not project.paths.run(run_id).cancel.exists()


async def test_a_run_that_never_got_an_order_is_not_taken_up(project: Project, desk: Desk) -> None:
    desk.fails_in_step(BUSY)
    desk.ordered = False
    with pytest.raises(PmError):
        await run_task(project, "Add it", way="company")
    with pytest.raises(PmError) as refused:
        await resume_run(project, desk.runs[0])
    assert refused.value.slug == "nothing_to_resume"
    assert len(desk.runs) == 1
