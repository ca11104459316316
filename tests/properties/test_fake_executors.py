"""The Runner with executors that start no program: the same every time."""

import asyncio
import tempfile
from pathlib import Path

from hypothesis import given, strategies as st

from pm_orchestrator.bootstrap.environment import read_environment
from pm_orchestrator.bootstrap.initialising import init_at
from pm_orchestrator.bootstrap.opening import open_project
from pm_orchestrator.domain.errors import NeedsPersonError, PmError
from pm_orchestrator.domain.history.task_log import BlockedReason, TaskLog
from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.runner.project.project import Project
from pm_orchestrator.runner.tasks.run_task import run_task
from pm_orchestrator.testing.scripted.fake_executors import (
    BlockedFake,
    ErrorFake,
    FakeExecutor,
    FixedExecutors,
    SuccessFake,
)

KINDS = ("success", "elsewhere", "empty", "unspoken", "error", *BlockedReason)
NAMES = ("README.md", "docs/guide.md", "app.py")


def executor(kind: str, name: str) -> FakeExecutor:
    match kind:
        case "success":
            return SuccessFake(name)
        case "elsewhere":
            return SuccessFake("OTHER.md")
        case "empty":
            return SuccessFake(name, "")
        case "unspoken":
            return BlockedFake(None)
        case "error":
            return ErrorFake()
        case _:
            return BlockedFake(BlockedReason(kind))


async def course(root: Path, kind: str, name: str) -> tuple[str, TaskLog]:
    """One task with a fake; how it ended for the caller, and its log."""
    project = root / "project"
    project.mkdir()
    await init_at(project, adopt=False)
    # No program is on this PATH: a fake that started one would fail.
    variables = {"HOME": str(root), "PATH": str(root), "XDG_STATE_HOME": str(root / "state")}
    app = await open_project(read_environment(variables), project)
    app.executors = FixedExecutors(executor(kind, name))
    try:
        word: str = (await run_task(app, f"Create {name}")).status
    except NeedsPersonError:
        word = "ASKED"
    except PmError as error:
        word = error.code
    return word, the_log(app)


def the_log(app: Project) -> TaskLog:
    session = app.book.latest_session()
    assert session is not None
    (entry,) = app.book.entries(session)
    return app.book.read(session, entry.task_id)


@given(st.sampled_from(KINDS), st.sampled_from(NAMES))
def test_a_fake_leads_to_the_same_end_every_time(kind: str, name: str) -> None:
    """R-37 Deterministic Integration Testing: no CLI, no network, one end for each fake."""
    with tempfile.TemporaryDirectory() as folder:
        word, log = asyncio.run(course(Path(folder), kind, name))
    stuck = kind in list(BlockedReason)
    ends = {"success": TaskStatus.COMPLETE, "unspoken": "ASKED", "error": "E503"}
    assert word == ends.get(kind, "E503" if stuck else TaskStatus.INCOMPLETE)
    assert log.status == {"COMPLETE": "complete", "E503": "error"}.get(word, "incomplete")
    assert (log.executor_blocked is True) == stuck
    assert not stuck or log.blocked_reason == kind
