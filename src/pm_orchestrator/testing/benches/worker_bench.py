"""A worker with real git and a real sandbox, before a project of one commit."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from typing_extensions import override

from pm_orchestrator.adapters.sandboxes.bwrap import BwrapRuntime
from pm_orchestrator.adapters.subprocesses import LocalCommands
from pm_orchestrator.agents.worker import Desk, Worker
from pm_orchestrator.domain.company.assignment import Assignment, AttemptResult
from pm_orchestrator.domain.company.model_conversation import ConversationHistory, Message
from pm_orchestrator.domain.history.run_events import RunEvent
from pm_orchestrator.domain.judging.outcome import ExecutorClaim
from pm_orchestrator.domain.tasks.task import SubTask
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.evidence.records.run_log import RunLogs
from pm_orchestrator.evidence.records.turn_journal import TurnJournal
from pm_orchestrator.ports.events import EventSink
from pm_orchestrator.ports.executor import Activity, Executor, ExecutorResult, ExecutorTask
from pm_orchestrator.ports.sandbox import SandboxSpec
from pm_orchestrator.testing.benches.git_project import GitProject
from pm_orchestrator.testing.benches.run_repositories import RunBench
from pm_orchestrator.testing.memory.fake_clock import FakeClock
from pm_orchestrator.testing.memory.memory_files import MemoryFiles
from pm_orchestrator.testing.scripted.fake_executors import FakeExecutor

BRANCH = "agent/20260115-ab12-01-it"
ROOF = "refs/pm/rescue/run_001/01/"
IDENTITY = "git config user.name a; git config user.email a@localhost; "
COMMIT = "git add -A && git commit -qm work"

Deed = Callable[[ExecutorTask], Awaitable[object]]


class ScriptedExecutor(FakeExecutor):
    """Runs a script with its hands, and then claims, raises or hangs."""

    def __init__(self, script: str, end: BaseException | Deed | None = None) -> None:
        super().__init__()
        self._script = script
        self._end = end

    @override
    async def answer(self, task: ExecutorTask) -> ExecutorResult:
        task.minutes.messages.append(Message(role="user", text=task.instruction))
        assert task.told is not None
        task.told(Activity(what="run the script", turn=1))
        done = await task.hands.run(("sh", "-ec", IDENTITY + self._script))
        assert done.exit_code == 0, done.stderr
        if isinstance(self._end, BaseException):
            raise self._end
        if self._end is not None:
            await self._end(task)
        return ExecutorResult(claim=ExecutorClaim(kind="finished", summary="Done."))


class HeardEvents(EventSink):
    """Remembers the events."""

    def __init__(self) -> None:
        self.events: list[RunEvent] = []

    @override
    async def publish(self, event: RunEvent, *, kept: bool = True) -> None:
        await asyncio.sleep(0)
        self.events.append(event)


class WorkerBench:
    """A worker before a project of one commit."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.project = GitProject(folder / "project")
        self.base = self.project.commit("first", **{"a.txt": "a\n"})
        self.run = RunBench(folder)
        self.repository = GitProject.at(self.run.directory)
        self.events = HeardEvents()
        self.files = MemoryFiles()
        self.transcripts: dict[str, ConversationHistory] = {}

    async def attempt(
        self,
        executor: Executor,
        number: int = 1,
        *,
        start: str | None = None,
        expected_files: tuple[str, ...] = (),
        goes_on: bool = False,
        turns: int = 3,
    ) -> AttemptResult:
        base = await self.run.repository.import_base(self.project.path, "HEAD")
        sub_task = SubTask(
            ticket="20260115-ab12-01",
            parent_id="20260115-ab12",
            title="It",
            description="Do it",
            acceptance_criteria=("it is done",),
            expected_files=expected_files,
            estimated_effort="small",
        )
        assignment = Assignment(
            run_id="run_001",
            task_id="task-1",
            sub_task=sub_task,
            branch=BRANCH,
            start=start or base,
            attempt=number,
            feedback="",
            model="m",
            goes_on=goes_on,
            max_turns=turns,
        )
        clock = FakeClock()
        desk = Desk(
            runtime=BwrapRuntime(
                LocalCommands(kill_grace_s=0.2), search_path="/usr/bin:/bin", kill_grace_s=0.2
            ),
            spec=SandboxSpec(name="run_001"),
            repository=self.run.repository,
            executor_for=lambda _: executor,
            save_transcript=self._save,
            turns=lambda place: TurnJournal(self.files, place, Masker(())),
            logs=RunLogs(self._folder, Masker(()), clock),
            events=self.events,
            clock=clock,
            base=base,
            instruction="Do it, and more",
            attempt_s=60.0,
        )
        return await Worker("worker-1", desk).attempt(assignment)

    def refs(self) -> dict[str, str]:
        """What was rescued, by the last part of its name."""
        listed = self.repository.git("for-each-ref", "--format=%(refname) %(objectname)", ROOF)
        pairs = (line.split() for line in listed.splitlines())
        return {ref.removeprefix(ROOF): oid for ref, oid in pairs}

    def show(self, name: str, path: str) -> str:
        return self.repository.git("show", f"{ROOF}{name}:{path}")

    def log(self, name: str) -> str:
        return (self._folder / name).read_text("utf-8")

    async def _save(self, path: Path, history: ConversationHistory) -> None:
        self.transcripts[path.as_posix()] = history
