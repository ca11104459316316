"""R-7, R-18: every operation that was seen from outside has one record, under its doer's name."""

import os
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from typing_extensions import override

from pm_orchestrator.adapters.system_clock import SystemClock
from pm_orchestrator.bootstrap.environment import read_environment
from pm_orchestrator.bootstrap.initialising import init_at
from pm_orchestrator.bootstrap.opening import open_project
from pm_orchestrator.domain.errors import NeedsPersonError
from pm_orchestrator.domain.history.run_events import PhaseEvent, RunEvent
from pm_orchestrator.domain.history.task_log import TaskLog
from pm_orchestrator.domain.ids import iso
from pm_orchestrator.domain.record import from_json
from pm_orchestrator.domain.tasks.evidence_record import Evidence
from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.evidence.chain.integrity import check
from pm_orchestrator.ports.process import Command, CommandResult
from pm_orchestrator.ports.recorder import PERSON, RUNNER
from pm_orchestrator.runner.project.project import Project
from pm_orchestrator.runner.project.project_sessions import (
    approve_session,
    recovered,
    start_session,
)
from pm_orchestrator.runner.tasks.accept import accept_task
from pm_orchestrator.runner.tasks.run_task import reply_task, run_task
from pm_orchestrator.runner.tasks.undo import undo_task
from pm_orchestrator.testing.scripted.fake_executors import FixedExecutors, SuccessFake

MAKEFILE = "test:\n\t@test ! -e code.py && echo '1 passed'\n"


class SpyingClock(SystemClock):
    """Tells no two who ask the same time, and remembers what it told."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[str] = []
        self._last: datetime | None = None

    @override
    def now(self) -> datetime:
        now = super().now()
        if self._last is not None:
            now = max(now, self._last + timedelta(milliseconds=1))
        self._last = now.replace(microsecond=now.microsecond // 1000 * 1000)
        self.told.append(iso(self._last))
        return self._last


class Seen:
    """What an outsider sees of a project's work."""

    def __init__(self, project: Project, executor: SuccessFake) -> None:
        self.project = project
        self.executor = executor
        self.events: list[RunEvent] = []
        self.gates = 0
        inner = project.commands.run

        async def run(command: Command, *rest: Any, **more: Any) -> CommandResult:
            self.gates += command.argv[-1] == "test"
            return await inner(command, *rest, **more)

        project.commands.run = run  # what a gate runs is seen here

    @property
    def phases(self) -> int:
        return sum(isinstance(event, PhaseEvent) for event in self.events)

    def records(self) -> list[Evidence]:
        folder = self.project.paths.claude / "evidence"
        return [from_json(Evidence, p.read_bytes(), p.name) for p in folder.glob("ev-*.json")]


@pytest.fixture
async def seen(tmp_path: Path) -> Seen:
    root = tmp_path / "project"
    root.mkdir()
    await init_at(root, adopt=False)
    (root / "Makefile").write_text(MAKEFILE, encoding="utf-8")
    home = str(tmp_path)
    variables = {"HOME": home, "PATH": os.environ["PATH"], "XDG_STATE_HOME": home}
    project = await open_project(read_environment(variables), root, clock=SpyingClock())
    executor = SuccessFake("README.md")
    project.executors = FixedExecutors(executor)
    return Seen(project, executor)


async def test_every_operation_has_one_record(seen: Seen) -> None:
    project, watch = seen.project, seen.events.append
    session = await start_session(project)
    with pytest.raises(NeedsPersonError):
        await run_task(project, "create it", session=session, watch=watch)
    asked = session.book.entries(session.session_id)[-1].external_task_id
    done = await reply_task(project, asked, "README.md", session=session, watch=watch)
    assert done.status is TaskStatus.COMPLETE, done.reason.say()
    code = SuccessFake("code.py")
    project.executors = FixedExecutors(code)
    red = await run_task(project, "Create code.py", session=session, watch=watch)
    assert red.status is TaskStatus.INCOMPLETE, red.reason.say()
    await approve_session(project, session)
    accepted = await accept_task(project, red.task_id, session=session)
    assert accepted.status is TaskStatus.COMPLETE, accepted.reason.say()
    await undo_task(project, red.task_id, session)

    records = [r for r in seen.records() if r.operation_type != "init_project"]
    by_kind = Counter(record.operation_type for record in records)
    calls = len(seen.executor.tasks) + len(code.tasks)
    expected = {
        "start_session": 1,
        "question": 1,
        "user_response": 1,
        "enter_phase": seen.phases,
        "rescue_save": calls,
        "execute": calls,
        "validate": 2,
        "approve_continuation": 1,
        "accept": 1,
        "undo": 1,
        # after the question, the answer, the refusal and the acceptance
        "task_log_closed": 4,
        # before the answer and the acceptance
        "task_log_reopened": 2,
    }
    assert {kind: by_kind.pop(kind, 0) for kind in expected} == expected
    gates = sum(count for kind, count in by_kind.items() if kind.startswith("gate_test"))
    assert gates == seen.gates > 0
    # Each was told a time of its own, so none stands for two.
    clock = project.clock
    assert isinstance(clock, SpyingClock)
    times = [record.timestamp for record in records]
    assert len(set(times)) == len(times)
    assert set(times) <= set(clock.told)
    assert check(project.paths.claude, project.head_file).intact

    doers = {record.operation_type: record.executor_id for record in records}
    persons = {kind for kind, who in doers.items() if who == PERSON}
    assert persons == {"user_response", "approve_continuation", "accept"}
    assert doers["execute"] == seen.executor.name
    assert {who for kind, who in doers.items() if kind not in {*persons, "execute"}} == {RUNNER}

    verdicts = [record for record in records if record.operation_type == "validate"]
    files = {a.ref: a.sha256 for v in verdicts for a in v.artifacts if a.kind == "file"}
    assert files.keys() == {"README.md", "code.py"}
    assert all(files.values())
    (log,) = (log for log in logs_of(project) if log.task_id == asked)
    listed = {r.operation_type for r in records if r.evidence_id in log.evidence_refs}
    assert listed >= {"question", "user_response", "execute", "rescue_save", "validate"}


async def test_a_task_that_is_closed_for_its_dead_owner_lists_its_evidence(seen: Seen) -> None:
    project = seen.project

    class Died(BaseException):
        """The process is gone."""

    class Dies(SuccessFake):
        @override
        async def answer(self, task: Any) -> Any:
            raise Died

    project.executors = FixedExecutors(Dies("README.md"))
    session = await start_session(project)
    with pytest.raises(Died):
        await run_task(project, "Create README.md", session=session)
    await session.leave()
    assert await recovered(project) != ()
    (log,) = logs_of(project)
    listed = {r.operation_type for r in seen.records() if r.evidence_id in log.evidence_refs}
    assert listed == {"enter_phase", "rescue_save", "close_cut_off"}


def logs_of(project: Project) -> list[TaskLog]:
    return [
        project.book.read(session, entry.task_id)
        for session in project.book.session_ids()
        for entry in project.book.entries(session)
    ]
