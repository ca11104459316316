"""The Runner with executors put in from outside, as the specification wants it verified."""

from pathlib import Path

import pytest

from pm_orchestrator.bootstrap.environment import read_environment
from pm_orchestrator.bootstrap.initialising import init_at
from pm_orchestrator.bootstrap.opening import open_project
from pm_orchestrator.domain.errors import NeedsPersonError, PmError
from pm_orchestrator.domain.history.task_log import TaskLog, TaskLogStatus
from pm_orchestrator.domain.history.task_story import pending_question
from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.domain.tasks.task import TaskType
from pm_orchestrator.runner.places.asked.auto_resolving import fallback_question
from pm_orchestrator.runner.project.project import Project
from pm_orchestrator.runner.tasks.run_task import reply_task, run_task
from pm_orchestrator.testing.scripted.fake_executors import (
    BlockedFake,
    ErrorFake,
    FakeExecutor,
    FixedExecutors,
    SuccessFake,
)

# One instruction for each kind of work that may never be blocked.
HARMLESS = {
    TaskType.READ_INFO: "What does notes.md say?",
    TaskType.REPORT: "Summarize the changes of the last week",
    TaskType.LIGHT_EDIT: "Fix the typo in notes.md",
    TaskType.IMPLEMENTATION: "Create login.py with a login function",
    TaskType.REVIEW_RESPONSE: "Address the review comments on notes.md",
    TaskType.CONFIG_CI_CHANGE: "Update .github/workflows/ci.yml to run on push",
}
DANGEROUS = "Delete all files in the repository"


@pytest.fixture
async def app(tmp_path: Path) -> Project:
    """A project; there is no program at all on its PATH."""
    project = tmp_path / "project"
    project.mkdir()
    (project / "notes.md").write_text("# Notes\n", encoding="utf-8")
    await init_at(project, adopt=False)
    home = str(tmp_path)
    variables = {"HOME": home, "PATH": home, "XDG_STATE_HOME": home}
    return await open_project(read_environment(variables), project)


def the_log(app: Project) -> TaskLog:
    session = app.book.latest_session()
    assert session is not None
    (entry,) = app.book.entries(session)
    return app.book.read(session, entry.task_id)


async def test_a_task_is_complete_with_a_fake(app: Project) -> None:
    """R-37 Deterministic Integration Testing: the fake comes in by the factory, and is enough."""
    fake = SuccessFake("README.md")
    app.executors = FixedExecutors(fake)
    end = await run_task(app, "create README.md")
    assert end.status is TaskStatus.COMPLETE
    assert [task.instruction for task in fake.tasks] == ["create README.md"]


async def test_a_failing_fake_is_an_error(app: Project) -> None:
    """R-37 Deterministic Integration Testing: an error comes out as one, at once."""
    app.executors = FixedExecutors(ErrorFake())
    with pytest.raises(PmError) as failed:
        await run_task(app, "create README.md")
    assert failed.value.code == "E503"
    assert the_log(app).status is TaskLogStatus.ERROR


@pytest.mark.parametrize("kind", list(HARMLESS))
async def test_nothing_harmless_is_blocked(app: Project, kind: TaskType) -> None:
    """INV-1, AC-1, AC-2: blocked without a word is INCOMPLETE with an answerable question."""
    fake = BlockedFake(None, "")
    app.executors = FixedExecutors(fake)
    with pytest.raises(NeedsPersonError):
        await run_task(app, HARMLESS[kind])
    assert [task.task_type for task in fake.tasks] == [kind]
    log = the_log(app)
    assert log.status is TaskLogStatus.INCOMPLETE
    assert log.executor_blocked is not True
    question = pending_question(log)
    assert question is not None
    assert fallback_question(kind, None).splitlines()[0] in question


async def test_only_what_is_dangerous_is_blocked(app: Project) -> None:
    """AC-1, AC-2: a dangerous operation may be blocked, and then it says what it needs."""
    fake: FakeExecutor = BlockedFake(None, "")
    app.executors = FixedExecutors(fake)
    with pytest.raises(NeedsPersonError):
        await run_task(app, DANGEROUS)
    assert fake.tasks == [], "nobody said yes yet"
    with pytest.raises(NeedsPersonError):
        await reply_task(app, the_log(app).task_id, "yes")
    assert [task.task_type for task in fake.tasks] == [TaskType.DANGEROUS_OP]
    question = pending_question(the_log(app))
    assert question is not None
    assert question.strip()
