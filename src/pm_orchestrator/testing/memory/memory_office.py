"""The sessions of a project in memory, with tasks that end in every way but a verdict."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pm_orchestrator.domain.errors import NeedsPersonError
from pm_orchestrator.domain.history.report import RunResult
from pm_orchestrator.domain.setup.settings import default_settings
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.evidence.records.log_book import TaskLogBook
from pm_orchestrator.evidence.records.open_log import OpenLog
from pm_orchestrator.runner.layout import ProjectPaths
from pm_orchestrator.runner.records.task_ledger import TaskLedger
from pm_orchestrator.runner.records.task_run import TaskRun
from pm_orchestrator.runner.sessions.open_session import OpenSession
from pm_orchestrator.runner.sessions.run_watch import RunWatch
from pm_orchestrator.runner.sessions.sessions import SessionParts, Sessions
from pm_orchestrator.testing.memory.fake_clock import CountingIds, FakeClock
from pm_orchestrator.testing.memory.memory_files import MemoryFiles
from pm_orchestrator.testing.memory.memory_owners import MemoryOwners
from pm_orchestrator.testing.memory.memory_recorder import MemoryRecorder

PATHS = ProjectPaths(Path("/project"))


class MemoryOffice:
    """One project: its sessions, logs and owners."""

    def __init__(self) -> None:
        self.disk: dict[Path, bytes] = {}
        self.files = MemoryFiles(self.disk)
        self.owners = MemoryOwners()
        self.clock = FakeClock()
        self.recorder = MemoryRecorder()
        self.book = TaskLogBook(self.files, self.clock, PATHS.claude, Masker())
        self.ledger = TaskLedger(self.files, PATHS.unfinished, None)
        self.sessions = Sessions(
            SessionParts(
                files=self.files,
                owners=self.owners,
                clock=self.clock,
                ids=CountingIds(),
                masker=Masker(),
                paths=PATHS,
                settings=default_settings(),
                recorder=self.recorder,
                book=self.book,
            )
        )

    def watch(self, lives: Callable[[str], bool]) -> RunWatch:
        """Looks at it from outside; `lives` is what is known of the owner of a session."""
        return RunWatch(self.book, self.files, PATHS, self.clock, lives)

    async def ask(self, session: OpenSession, run_id: str = "run_001") -> str:
        """A task that ends with a question; returns its id."""
        return await self.end(session, run_id, NeedsPersonError("ask_target"))

    async def die_at_work(self, session: OpenSession, run_id: str = "run_001") -> str:
        """A task whose Runner is gone in the middle; returns its id."""
        return await self.end(session, run_id, KeyboardInterrupt())

    async def end(self, session: OpenSession, run_id: str, ending: BaseException) -> str:
        """A task that `ending` comes in between; returns its id."""
        task = session.new_task(run_id, "create it", "fake")
        await self.end_run(session, task, ending)
        return task.task_id

    async def end_run(self, session: OpenSession, task: TaskRun, ending: BaseException) -> None:
        """One run of a task."""

        async def work(_: OpenLog) -> RunResult:
            raise ending

        with pytest.raises(type(ending)):
            await session.carry_out(task, self.ledger, work)
