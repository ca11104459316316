"""Every way in which a run can end, told to whoever asked for it, with its records closed."""

import asyncio
from pathlib import Path
from typing import NamedTuple

import pytest

from pm_orchestrator.domain.errors import NeedsPersonError, PmError, RetryableError
from pm_orchestrator.domain.history.report import RunResult
from pm_orchestrator.domain.history.task_log import TaskLogStatus
from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.domain.tasks.task import TaskResult
from pm_orchestrator.runner.project.crew import Going
from pm_orchestrator.runner.project.looking import runs_of
from pm_orchestrator.runner.project.project import Project
from pm_orchestrator.runner.records.interruption import StoppedRunError, TaskInterruptedError
from pm_orchestrator.runner.records.task_ledger import TaskLedger
from pm_orchestrator.runner.sessions.open_session import OpenSession
from pm_orchestrator.runner.tasks.cancel import cancel_task
from pm_orchestrator.runner.tasks.resume import resume_run
from pm_orchestrator.runner.tasks.run_task import run_task
from pm_orchestrator.testing.memory.memory_crew import MemoryCrew, crewed_project

BUSY = RetryableError("model_unavailable", reason="busy")
BROKEN = PmError("git_failed", operation="merge", reason="it is broken")


class Office(NamedTuple):
    """A project, and who works in it."""

    project: Project
    crew: MemoryCrew


@pytest.fixture
async def office(tmp_path: Path) -> Office:
    return Office(*await crewed_project(tmp_path))


def status_of(project: Project) -> TaskLogStatus:
    """Of the only task."""
    (line,) = runs_of(project)
    return project.book.read(line.session_id, line.task_id or "").status


async def test_the_end_is_told_when_the_records_are_closed(office: Office) -> None:
    project, crew = office
    told: list[TaskResult] = []
    end = await run_task(project, "Add it", way="company", ended=told.append)
    assert end.status is TaskStatus.COMPLETE
    assert [result.task_id for result in told] == [end.task_id]
    assert status_of(project) is TaskLogStatus.COMPLETE
    assert crew.goings == [Going(instruction="Add it")]


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
    office: Office, error: PmError, *, ordered: bool, taken_up: bool
) -> None:
    project, crew = office
    crew.fails_in_step(error)
    crew.ordered = ordered
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


async def test_a_fault_of_ours_is_kept_whole(office: Office) -> None:
    project, crew = office
    crew.raises(LookupError("no such thing"))
    with pytest.raises(PmError) as raised:
        await run_task(project, "Add it", way="company")
    assert raised.value.slug == "runner_fault"
    (line,) = runs_of(project)
    trace = (project.paths.runs / line.run_id / "errors.log").read_text("utf-8")
    assert "Traceback" in trace
    assert "no such thing" in trace


async def test_stopped_work_says_what_was_proved(office: Office) -> None:
    project, crew = office
    crew.raises(asyncio.CancelledError())
    crew.proved = ["20260115-ab12-01"]
    told: list[TaskResult] = []
    with pytest.raises(TaskInterruptedError) as stopped:
        await run_task(project, "Add it", way="company", ended=told.append)
    assert stopped.value.done == ("20260115-ab12-01",)
    assert len(told) == 1
    assert status_of(project) is TaskLogStatus.INCOMPLETE


async def test_work_that_was_stopped_before_it_began_has_nothing_to_say(office: Office) -> None:
    project, crew = office
    crew.opens = False
    with pytest.raises(TaskInterruptedError) as stopped:
        await run_task(project, "Add it", way="company")
    assert (stopped.value.done, stopped.value.kept) == ((), ())
    assert status_of(project) is TaskLogStatus.INCOMPLETE


async def test_a_stop_before_anything_is_on_record_leaves_nothing_to_close(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, crew = office

    async def stopped(*_: object) -> RunResult:
        raise asyncio.CancelledError

    monkeypatch.setattr(OpenSession, "carry_out", stopped)
    with pytest.raises(asyncio.CancelledError) as stop:
        await run_task(project, "Add it", way="company")
    assert not isinstance(stop.value, TaskInterruptedError)
    assert runs_of(project) == ()
    assert crew.runs == []


async def test_a_stop_that_comes_when_the_verdict_stands_takes_nothing_back(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, _ = office
    ended = TaskLedger.ended

    async def stopped_meanwhile(ledger: TaskLedger, task_id: str) -> None:
        running.cancel()
        await ended(ledger, task_id)

    monkeypatch.setattr(TaskLedger, "ended", stopped_meanwhile)
    told: list[TaskResult] = []
    running = asyncio.create_task(run_task(project, "Add it", way="company", ended=told.append))
    with pytest.raises(TaskInterruptedError):
        await running
    assert status_of(project) is TaskLogStatus.COMPLETE
    assert len(told) == 1


async def test_another_process_stops_the_work(office: Office) -> None:
    project, crew = office
    began = asyncio.Event()

    async def wait() -> TaskStatus:
        began.set()
        await asyncio.sleep(60)
        return TaskStatus.COMPLETE

    crew.act = wait
    work = asyncio.create_task(run_task(project, "Add it", way="company"))
    await began.wait()
    (line,) = runs_of(project)
    log = await cancel_task(project, line.task_id or "")
    assert log.status is TaskLogStatus.INCOMPLETE
    with pytest.raises(TaskInterruptedError):
        await work


async def test_a_run_that_was_cut_off_is_taken_up_under_its_id(office: Office) -> None:
    project, crew = office
    crew.fails_in_step(BUSY)
    with pytest.raises(StoppedRunError):
        await run_task(project, "Add it", way="company")
    (run_id,) = crew.runs
    # Somebody asked the run to stop in its earlier life; that is over.
    await project.files.replace(project.paths.run(run_id).cancel, b"cancel\n")
    crew.act = crew.completes
    end = await resume_run(project, run_id)
    assert (end.run_id, end.status) == (run_id, TaskStatus.COMPLETE)
    assert crew.goings[-1].resumed
    assert not project.paths.run(run_id).cancel.exists()


async def test_a_run_that_never_got_an_order_is_not_taken_up(office: Office) -> None:
    project, crew = office
    crew.fails_in_step(BUSY)
    crew.ordered = False
    with pytest.raises(PmError):
        await run_task(project, "Add it", way="company")
    with pytest.raises(PmError) as refused:
        await resume_run(project, crew.runs[0])
    assert refused.value.slug == "nothing_to_resume"
    assert len(crew.runs) == 1
