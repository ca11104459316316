"""What the use cases about tasks refuse or leave undone, each for a reason that is said."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import pytest
from msgspec.structs import replace
from typing_extensions import override

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.report import RunResult
from pm_orchestrator.domain.judging.outcome import Reason
from pm_orchestrator.domain.record import to_file
from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.evidence.look.snapshot import DirectoryWalk
from pm_orchestrator.evidence.look.stat_cache import StatCache
from pm_orchestrator.ports.repository import Uncommitted
from pm_orchestrator.ports.rescue import Saved
from pm_orchestrator.runner.places.workspace import Workspace
from pm_orchestrator.runner.project.crew import Going, TaskOptions
from pm_orchestrator.runner.project.project import Project
from pm_orchestrator.runner.project.project_sessions import ledger_of, start_session
from pm_orchestrator.runner.records.interruption import TaskInterruptedError
from pm_orchestrator.runner.records.task_bounds import begin
from pm_orchestrator.runner.records.task_run import TaskRun
from pm_orchestrator.runner.run.steps import RunOrder
from pm_orchestrator.runner.tasks.accept import accept_task
from pm_orchestrator.runner.tasks.cancel import cancel_task
from pm_orchestrator.runner.tasks.resume import resume_run
from pm_orchestrator.runner.tasks.run_orders import LONGEST_INSTRUCTION, RunOrders
from pm_orchestrator.runner.tasks.run_task import run_task
from pm_orchestrator.runner.tasks.undo import UndoFiles, undo_task
from pm_orchestrator.testing.memory.fake_clock import FakeClock
from pm_orchestrator.testing.memory.memory_crew import MemoryCrew, crewed_project
from pm_orchestrator.testing.memory.memory_recorder import MemoryRecorder
from pm_orchestrator.testing.memory.memory_rescue import MemoryRescue

BASE = "b" * 40


class Shelf:
    """A run's repository that holds nothing, beside a checkout with files in no commit."""

    async def resolve(self, project: Path, ref: str) -> str:
        return BASE

    async def uncommitted(self, project: Path) -> Uncommitted:
        return Uncommitted(count=0)

    async def own_refs(self) -> Mapping[str, str]:
        return {}

    async def export(self, project: Path, refs: tuple[str, ...]) -> None:
        """There is nothing to bring."""


@pytest.fixture
async def office(tmp_path: Path) -> tuple[Project, MemoryCrew]:
    return await crewed_project(tmp_path)


@pytest.fixture
def project(office: tuple[Project, MemoryCrew]) -> Project:
    return office[0]


@pytest.fixture
def crew(office: tuple[Project, MemoryCrew]) -> MemoryCrew:
    return office[1]


async def begun(project: Project) -> TaskRun:
    """A task of a company that is being worked on by this process."""
    session = await start_session(project)
    run_id = project.paths.new_run().run_id
    task = session.new_task(run_id, "Add it", "company", "company")
    await begin(session.book, task, ledger_of(project, in_directory=False))
    return task


async def incomplete(project: Project, crew: MemoryCrew, *left_to_do: Reason) -> RunResult:
    """A company's run that came to its end, and was not proved."""

    async def not_proved() -> TaskStatus:
        return TaskStatus.INCOMPLETE

    crew.act = not_proved
    end = await run_task(project, "Add it", way="company")
    end = replace(end, left_to_do=left_to_do)
    await project.files.replace(project.paths.run(end.run_id).result, to_file(end))
    return end


async def test_what_was_never_verified_cannot_be_accepted(
    project: Project, crew: MemoryCrew
) -> None:
    crew.opens = False
    with pytest.raises(TaskInterruptedError) as stopped:
        await run_task(project, "Add it", way="company")
    task = stopped.value
    with pytest.raises(PmError) as refused:
        await accept_task(project, task.task_id)
    assert refused.value.slug == "not_acceptable"
    assert "nothing was verified" in refused.value.what()
    sessions = project.paths.claude / "logs" / "sessions"
    facts = sessions / task.session_id / "facts" / f"{task.task_id}.{task.run_id}.json"
    await project.files.replace(facts, b"{")
    with pytest.raises(PmError) as broken:
        await accept_task(project, task.task_id)
    assert broken.value.code == "E302"


async def test_an_owner_that_does_not_hear_is_named(project: Project) -> None:
    """R-12 Deadlock: an owner that does not move is named (E403), and not waited for."""
    task = await begun(project)
    project.clock = FakeClock()
    with pytest.raises(PmError) as unheard:
        await cancel_task(project, task.task_id)
    assert unheard.value.slug == "cancel_not_heard"
    assert project.paths.run(task.run_id).cancel.exists(), "it may still hear"


async def test_a_task_that_is_worked_on_is_not_undone(project: Project) -> None:
    task = await begun(project)
    with pytest.raises(PmError) as refused:
        await undo_task(project, task.task_id)
    assert refused.value.slug == "task_not_ended"


async def test_a_saved_tree_that_is_gone_cannot_come_back(tmp_path: Path) -> None:
    class Emptied(MemoryRescue):
        @override
        async def find(self, project: Path, name: str) -> Saved | None:
            return None

    rescue = Emptied()
    walk = DirectoryWalk(tmp_path, StatCache(), lambda: 0)
    workspace = Workspace(tmp_path, walk, cast("Any", None), rescue)
    await rescue.save(await workspace.current(frozenset()), "run_001/task-1")
    undo = UndoFiles(tmp_path, workspace, rescue, MemoryRecorder())
    with pytest.raises(PmError) as refused:
        await undo.undo("session-1", "task-1")
    assert refused.value.slug == "nothing_to_undo"


async def test_a_run_that_came_to_its_end_is_settled_by_a_person(
    project: Project, crew: MemoryCrew
) -> None:
    end = await incomplete(project, crew)
    with pytest.raises(PmError) as refused:
        await resume_run(project, end.run_id)
    assert refused.value.slug == "nothing_to_resume"
    assert f"accept {end.task_id}" in refused.value.what()


async def test_what_is_handed_over_unproved_is_put_before_nobody(
    project: Project, crew: MemoryCrew
) -> None:
    left = Reason(key="export_left", params={"why": "the branch is checked out"})
    end = await incomplete(project, crew, left)
    project.repository = lambda _: cast("Any", Shelf())
    again = await resume_run(project, end.run_id)
    assert (again.left_to_do, again.review_id, again.status) == ((), None, TaskStatus.INCOMPLETE)
    assert await project.reviews().list() == ()


@pytest.mark.parametrize(
    ("workers", "used", "said"), [(None, 3, []), (1, 1, []), (99, 3, ["fewer_workers"])]
)
async def test_no_more_workers_than_the_settings_allow(
    project: Project, workers: int | None, used: int, said: list[str]
) -> None:
    task = await begun(project)
    limits = replace(project.settings.parallel_limits, executors=3)
    company = replace(project.settings.company, max_workers=3)
    project.settings = replace(project.settings, parallel_limits=limits, company=company)
    order = await made(project, task, "Add it", {"workers": workers})
    assert order.workers == used
    assert [note.key for note in order.notes] == said
    assert RunOrders(project).read(task.run_id) == order


async def test_an_instruction_that_belongs_into_a_file_is_refused(project: Project) -> None:
    task = await begun(project)
    with pytest.raises(PmError) as refused:
        await made(project, task, "字" * (LONGEST_INSTRUCTION // 3 + 1), {})
    assert refused.value.slug == "limit_exceeded"
    assert RunOrders(project).find(task.run_id) is None


async def made(project: Project, task: TaskRun, instruction: str, options: TaskOptions) -> RunOrder:
    class Checkout:
        async def branch(self) -> str:
            return "main"

        async def remote(self) -> str | None:
            return None

    project.checkout = lambda _: cast("Any", Checkout())
    going = Going(instruction=instruction)
    return await RunOrders(project).make(task, going, options, cast("Any", Shelf()))
