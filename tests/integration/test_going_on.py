"""What can be done with a task that has ended or asks: watched, resumed, cancelled."""

from pathlib import Path
from random import Random

import pytest
from typing_extensions import override

from pm_orchestrator.bootstrap.environment import read_environment
from pm_orchestrator.bootstrap.initialising import init_at
from pm_orchestrator.bootstrap.opening import open_project
from pm_orchestrator.domain.errors import NeedsPersonError, PmError, RetryableError
from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.ports.executor import ExecutorResult, ExecutorTask
from pm_orchestrator.runner.project.looking import run_watch, runs_of
from pm_orchestrator.runner.project.project import Project
from pm_orchestrator.runner.sessions.run_watch import WatchEnd
from pm_orchestrator.runner.tasks.cancel import cancel_task
from pm_orchestrator.runner.tasks.resume import resume_run
from pm_orchestrator.runner.tasks.run_task import reply_task, run_task
from pm_orchestrator.testing.data.random_keys import random_key
from pm_orchestrator.testing.scripted.fake_executors import FixedExecutors, SuccessFake


@pytest.fixture
async def project(tmp_path: Path) -> Project:
    root = tmp_path / "project"
    root.mkdir()
    await init_at(root, adopt=False)
    home = str(tmp_path)
    variables = {"HOME": home, "PATH": home, "XDG_STATE_HOME": home}
    opened = await open_project(read_environment(variables), root)
    opened.executors = FixedExecutors(SuccessFake("README.md"))
    return opened


async def asked(project: Project) -> tuple[str, str]:
    """The ids of a task that waits for an answer, and of its run."""
    with pytest.raises(NeedsPersonError):
        await run_task(project, "fix it")
    (line,) = runs_of(project)
    assert line.task_id is not None
    return line.task_id, line.run_id


async def ended(project: Project, wanted: str | None) -> WatchEnd:
    watch = run_watch(project)
    happenings = [h async for h in watch.follow(watch.find(wanted))]
    assert isinstance(happenings[-1], WatchEnd)
    return happenings[-1]


async def refused(project: Project, run_id: str) -> str:
    with pytest.raises(PmError) as said:
        await resume_run(project, run_id)
    return said.value.slug


async def test_a_run_that_asks_waits_for_its_answer(project: Project) -> None:
    _, run_id = await asked(project)
    assert await refused(project, run_id) == "waits_for_answer"


async def test_a_run_that_is_complete_is_not_resumed(project: Project) -> None:
    end = await run_task(project, "create README.md")
    assert await refused(project, end.run_id) == "nothing_to_resume"
    assert await refused(project, "run_999") == "run_unknown"


class FailsOnce(SuccessFake):
    """Loses its model at the first call."""

    @override
    async def answer(self, task: ExecutorTask) -> ExecutorResult:
        if len(self.tasks) == 1:
            raise RetryableError("model_unavailable", reason="busy")
        return await super().answer(task)


async def test_a_run_without_a_journal_goes_on_in_a_new_one(project: Project) -> None:
    project.executors = FixedExecutors(FailsOnce("README.md"))
    with pytest.raises(PmError):
        await run_task(project, "create README.md")
    (first,) = runs_of(project)
    end = await resume_run(project, first.run_id)
    assert (end.status, end.task_id) == (TaskStatus.COMPLETE, first.task_id)
    assert end.run_id != first.run_id


async def test_a_task_that_has_ended_is_not_cancelled(project: Project) -> None:
    end = await run_task(project, "create README.md")
    with pytest.raises(PmError) as said:
        await cancel_task(project, end.task_id)
    assert said.value.slug == "not_running"


async def test_an_earlier_run_of_a_task_is_watched_to_its_own_end(project: Project) -> None:
    task_id, first = await asked(project)
    end = await reply_task(project, task_id, "README.md: create it with a title")
    assert end.status is TaskStatus.COMPLETE
    assert (await ended(project, None)).status is TaskStatus.COMPLETE
    assert (await ended(project, task_id)).run_id == end.run_id
    assert (await ended(project, first)).status is TaskStatus.INCOMPLETE
    (project.paths.runs / first / "report.json").unlink()
    before = await ended(project, first)
    assert (before.run_id, before.status) == (first, TaskStatus.INCOMPLETE)
    assert await refused(project, first) == "nothing_to_resume"


async def test_what_is_not_there_cannot_be_watched(project: Project) -> None:
    watch = run_watch(project)
    with pytest.raises(PmError) as nothing:
        watch.find(None)
    assert nothing.value.slug == "nothing_to_watch"
    await run_task(project, "create README.md")
    with pytest.raises(PmError) as unknown:
        watch.find("task-0")
    assert unknown.value.slug == "task_nowhere"


async def test_an_instruction_that_was_not_kept_whole_cannot_go_on(project: Project) -> None:
    """R-24 API Key Secrecy: a key in it is on no disk, so it must be given again."""
    key = random_key("gh" + "p_", Random(7))
    with pytest.raises(NeedsPersonError):
        await run_task(project, f"Delete all files of the project with {key}")
    (line,) = runs_of(project)
    with pytest.raises(PmError) as said:
        await reply_task(project, line.task_id or "", "yes")
    assert said.value.slug == "instruction_not_kept"
