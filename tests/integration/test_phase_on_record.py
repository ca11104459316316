"""R-4: the phase a session shows is the one its task is in or ended in, and has its evidence."""

import os
from pathlib import Path

import pytest
from typing_extensions import override

from pm_orchestrator.bootstrap.environment import read_environment
from pm_orchestrator.bootstrap.initialising import init_at
from pm_orchestrator.bootstrap.opening import open_project
from pm_orchestrator.domain.errors import NeedsPersonError, PmError
from pm_orchestrator.domain.record import from_json, to_file
from pm_orchestrator.domain.tasks.evidence_record import Evidence
from pm_orchestrator.domain.tasks.phase import Phase
from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.ports.executor import ExecutorResult, ExecutorTask
from pm_orchestrator.runner.project.evidence_checks import phase_reached
from pm_orchestrator.runner.project.project import Project
from pm_orchestrator.runner.project.project_sessions import start_session
from pm_orchestrator.runner.run.receipts import Receipt
from pm_orchestrator.runner.run.steps import ANALYSE, ENTER_PHASE
from pm_orchestrator.runner.sessions.open_session import OpenSession
from pm_orchestrator.runner.tasks.accept import accept_task
from pm_orchestrator.runner.tasks.run_task import run_task
from pm_orchestrator.testing.scripted.fake_executors import FixedExecutors, SuccessFake


@pytest.fixture
async def project(tmp_path: Path) -> Project:
    root = tmp_path / "project"
    root.mkdir()
    await init_at(root, adopt=False)
    home = str(tmp_path)
    variables = {"HOME": home, "PATH": os.environ["PATH"], "XDG_STATE_HOME": home}
    opened = await open_project(read_environment(variables), root)
    opened.executors = FixedExecutors(SuccessFake("README.md"))
    return opened


class Fails(SuccessFake):
    @override
    async def answer(self, task: ExecutorTask) -> ExecutorResult:
        raise PmError("executor_failed", executor="fake", reason="it fell over")


class Tampers(SuccessFake):
    """Writes itself another model into the selection."""

    @override
    async def answer(self, task: ExecutorTask) -> ExecutorResult:
        root = task.hands.root
        repl = Path(root) / ".claude" / "repl.json"
        text = repl.read_text(encoding="utf-8")
        repl.write_text(text.replace('"selected_model": null', '"selected_model": "evil"'), "utf-8")
        return await super().answer(task)


def entered(project: Project, task_id: str) -> list[str]:
    """The phases that a task has entered, by its evidence."""
    claude = project.paths.claude
    records = [
        from_json(Evidence, path.read_bytes(), path.name)
        for path in (claude / "evidence").glob("ev-*.json")
    ]
    mine = [r for r in records if r.operation_type == "enter_phase" and task_id in r.raw_logs]
    return [(claude / r.raw_logs).read_text(encoding="utf-8") for r in mine]


def shown(session: OpenSession) -> Phase:
    state = session.state
    assert state is not None
    return state.current_phase


@pytest.mark.parametrize(
    ("instruction", "executor", "phase"),
    [
        ("Create README.md", SuccessFake("README.md"), Phase.REPORT),
        ("Create other.md", SuccessFake("README.md"), Phase.REPORT),
        ("create it", SuccessFake("README.md"), Phase.REQUIREMENT_ANALYSIS),
        ("Create README.md", Fails("README.md"), Phase.EXECUTION),
        ("Create README.md", Tampers("README.md"), Phase.EXECUTION),
    ],
)
async def test_the_phase_is_where_the_task_ended(
    project: Project, instruction: str, executor: SuccessFake, phase: Phase
) -> None:
    session = await start_session(project)
    project.executors = FixedExecutors(executor)
    try:
        await run_task(project, instruction, session=session)
    except (PmError, NeedsPersonError):
        assert phase is not Phase.REPORT
    assert shown(session) is phase
    task_id = session.book.entries(session.session_id)[-1].external_task_id
    found = entered(project, task_id)
    order = list(Phase)
    assert sorted(found, key=lambda name: order.index(Phase(name))) == [
        str(p) for p in order[: order.index(phase) + 1]
    ]


async def test_an_accepted_task_stays_reported(project: Project) -> None:
    session = await start_session(project)
    project.executors = FixedExecutors(SuccessFake("code.py"))
    end = await run_task(project, "Create code.py and other.py", session=session)
    assert end.status is TaskStatus.INCOMPLETE
    await accept_task(project, end.task_id, session=session)
    assert shown(session) is Phase.REPORT
    assert "REPORT" in entered(project, end.task_id)


async def test_a_run_that_is_taken_up_is_in_the_phase_it_had_reached(project: Project) -> None:
    run = project.paths.new_run()
    assert phase_reached(project, run) is Phase.REQUIREMENT_ANALYSIS
    run.receipts.mkdir(parents=True)
    steps = [(ENTER_PHASE, phase) for phase in list(Phase)[:4]] + [(ANALYSE, None)]
    for number, (step, phase) in enumerate(steps):
        receipt = Receipt(
            key=str(number), step=step.name, evidence_id="ev-1", output={"phase": str(phase)}
        )
        (run.receipts / f"{number}.json").write_bytes(to_file(receipt))
    assert phase_reached(project, run) is Phase.EXECUTION
