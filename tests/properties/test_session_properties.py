"""Sessions as state machines: tasks, answers, approvals, continuations and sudden deaths."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from typing_extensions import override

from pm_orchestrator.domain.errors import NeedsPersonError, PmError
from pm_orchestrator.domain.history.repl_state import ReplState
from pm_orchestrator.domain.history.report import RunResult
from pm_orchestrator.domain.history.session import RunStatus, RunTrigger, SessionStatus
from pm_orchestrator.domain.history.task_log import TaskLogStatus
from pm_orchestrator.domain.history.task_story import pending_question, verdict_in
from pm_orchestrator.domain.judging.outcome import Reason
from pm_orchestrator.domain.setup.settings import default_settings
from pm_orchestrator.domain.tasks.evidence_record import EvidenceSummary
from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.domain.tasks.task import LimitViolation
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.evidence.records.log_book import TaskLogBook
from pm_orchestrator.evidence.records.open_log import TERMINAL, OpenLog
from pm_orchestrator.gates.judge.hard_limits import violation
from pm_orchestrator.runner.layout import ProjectPaths
from pm_orchestrator.runner.records.repl_states import ReplStates
from pm_orchestrator.runner.records.task_ledger import TaskLedger
from pm_orchestrator.runner.sessions.continuation import continuation, to_go_on
from pm_orchestrator.runner.sessions.open_session import OpenSession
from pm_orchestrator.runner.sessions.recovery import recover
from pm_orchestrator.runner.sessions.sessions import SessionParts, Sessions
from pm_orchestrator.testing.memory.fake_clock import CountingIds, FakeClock
from pm_orchestrator.testing.memory.memory_files import MemoryFiles, PowerCut
from pm_orchestrator.testing.memory.memory_owners import MemoryOwners
from pm_orchestrator.testing.memory.memory_recorder import MemoryRecorder

PATHS = ProjectPaths(Path("/project"))
HEAD = Path("/home/heads/project.json")
T = TypeVar("T")
Work = Callable[[OpenLog], Awaitable[RunResult]]
verdicts = st.sampled_from(TaskStatus)


def finding(status: TaskStatus) -> RunResult:
    complete = status is TaskStatus.COMPLETE
    return RunResult(
        session_id="s",
        task_id="t",
        run_id="r",
        ticket_id="k",
        status=status,
        reason=Reason(key="nothing_changed"),
        instruction="create it",
        changes=(),
        summary=EvidenceSummary(
            files_expected=(),
            files_verified=(),
            files_missing=(),
            verification_passed=complete,
            verification_reason="x",
            verified_files=(),
        ),
        evidence_ids=(),
    )


class Office:
    """A project in memory whose Runner can die and come back."""

    def __init__(self) -> None:
        self.disk: dict[Path, bytes] = {}
        self.owners = MemoryOwners()
        self.clock = FakeClock()
        self.ids = CountingIds()
        self.runs = 0
        self.restart()

    def restart(self, die_at: int | None = None, *, torn: bool = False) -> None:
        """A new process over the same disk."""
        self.files = MemoryFiles(self.disk, die_at=die_at, torn=torn)
        self.sessions = self.sessions_on(self.files)
        self.repl = ReplStates(self.files, self.clock, PATHS.claude / "repl.json", HEAD)
        self.ledger = TaskLedger(self.files, PATHS.unfinished, self.repl)

    def sessions_on(self, files: MemoryFiles) -> Sessions:
        return Sessions(
            SessionParts(
                files=files,
                owners=self.owners,
                clock=self.clock,
                ids=self.ids,
                masker=Masker(),
                paths=PATHS,
                settings=default_settings(),
                recorder=MemoryRecorder(),
                book=TaskLogBook(files, self.clock, PATHS.claude, Masker()),
            )
        )

    def next_run(self) -> str:
        self.runs += 1
        self.clock.advance(1)
        return f"run_{self.runs:03d}"


def run(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(work)


async def nobody_altered_it() -> None:
    raise AssertionError("what the Runner wrote itself was taken for an alteration")


class SessionMachine(RuleBasedStateMachine):
    """One session lives through anything a user, an executor or the power supply may do."""

    @initialize()
    def begin(self) -> None:
        self.office = Office()
        self.session: OpenSession = run(self.office.sessions.start())
        self.approved = False
        self.violations: tuple[LimitViolation, ...] = ()

    def _work(self, end: TaskStatus | None, seen: list[ReplState]) -> Work:
        async def work(log: OpenLog) -> RunResult:
            seen.append(self.office.repl.read())
            assert (log.log.status, log.log.ended_at) == (TaskLogStatus.RUNNING, None)
            if end is None:
                raise NeedsPersonError("ask_target")
            return finding(end)

        return work

    @rule(end=verdicts | st.none())
    def new_task(self, end: TaskStatus | None) -> None:
        before = self.office.repl.read().last_task_id
        task = self.session.new_task(self.office.next_run(), "create it", "fake")
        # An approval is for what was there when it was given.
        self.approved = False
        seen: list[ReplState] = []
        carried = self.session.carry_out(task, self.office.ledger, self._work(end, seen))
        self._run_to_its_end(carried, asks=end is None)
        assert [(s.current_task_id, s.last_task_id) for s in seen] == [(task.task_id, before)]
        assert self.office.repl.read().last_task_id == task.task_id

    @staticmethod
    def _run_to_its_end(carried: Coroutine[Any, Any, Any], *, asks: bool) -> None:
        if asks:
            with pytest.raises(NeedsPersonError):
                run(carried)
        else:
            run(carried)

    def _waiting(self) -> list[str]:
        book, name = self.session.book, self.session.session_id
        logs = [book.read(name, e.task_id) for e in book.entries(name)]
        return [log.task_id for log in logs if pending_question(log) is not None]

    @precondition(lambda self: bool(self._waiting()))
    @rule(data=st.data(), end=verdicts | st.none())
    def answer(self, data: st.DataObject, end: TaskStatus | None) -> None:
        task_id = data.draw(st.sampled_from(self._waiting()))
        log = self.session.book.read(self.session.session_id, task_id)
        task = self.session.same_task(
            log, self.office.next_run(), "fake", RunTrigger.USER_RESPONSE, "a.md"
        )
        self.approved = False
        seen: list[ReplState] = []
        carried = self.session.carry_out(task, self.office.ledger, self._work(end, seen))
        self._run_to_its_end(carried, asks=end is None)
        (during,) = seen
        assert during.current_task_id == task_id != during.last_task_id
        assert self.office.repl.read().last_task_id == task_id

    def _ready(self) -> list[str]:
        unfinished = [e.external_task_id for e in self.session.unfinished()]
        logs = [self.session.book.read(self.session.session_id, task) for task in unfinished]
        counting = [log.task_id for log in logs if verdict_in(log) is not TaskStatus.INVALID]
        return [task for task in counting if task not in self._waiting()]

    @rule()
    def approve(self) -> None:
        if not self._ready():
            with pytest.raises(PmError, match="E207"):
                to_go_on(self.session)
            return
        assert to_go_on(self.session).task_id == self._ready()[-1]
        run(self.session.approve(approved=True))
        self.approved = True

    @rule(files=st.lists(st.integers(6, 9), max_size=2))
    def overrun(self, files: list[int]) -> None:
        """R-17: whatever happens besides, no violation takes the place of another."""
        found = tuple(violation("files", 5, number, "now") for number in files)
        run(self.session.note_violations(found))
        self.violations += found

    @rule(end=verdicts)
    def go_on(self, end: TaskStatus) -> None:
        ready = self._ready()
        if not self.approved or not ready:
            with pytest.raises(PmError, match="E207"):
                continuation(self.session)
            return
        log = continuation(self.session)
        assert log.task_id == ready[-1]
        self.approved = False
        task = self.session.same_task(log, self.office.next_run(), "fake", RunTrigger.CONTINUATION)
        carried = self.session.carry_out(task, self.office.ledger, self._work(end, []))
        run(carried)

    @rule(die_at=st.integers(1, 18), torn=st.booleans(), end=verdicts)
    def die_in_a_task(self, die_at: int, torn: bool, end: TaskStatus) -> None:
        name = self.session.session_id
        self.office.owners.die()
        self.office.restart(die_at, torn=torn)
        session = self.office.sessions.own(name)
        task = session.new_task(self.office.next_run(), "create it", "fake")
        try:
            run(session.carry_out(task, self.office.ledger, self._work(end, [])))
        except PowerCut:
            pass
        self.office.owners.die()
        self.office.restart()
        # Wherever it died, its own half-done writes are no alteration.
        run(self.office.repl.put_back(nobody_altered_it))
        run(recover(self.office.sessions, self.office.ledger))
        self.session = run(self.office.sessions.open(name))
        state, before = self.session.state, self.approved
        assert state is not None
        # Taken back before anything of the new task is on record.
        began = any(e.run_id == task.run_id for e in self.session.book.entries(name))
        self.approved = state.continuation_approved
        assert not self.approved or (before and not began)

    @invariant()
    def every_list_agrees_with_every_log(self) -> None:
        name = self.session.session_id
        self.session.book.check(name)
        fresh = TaskLogBook(self.office.files, self.office.clock, PATHS.claude, Masker())
        for book in (self.session.book, fresh):
            entries = book.entries(name)
            logs = [p for p in self.office.disk if p.parent.name == "tasks"]
            assert len(logs) == len(entries)
            for entry in entries:
                log = book.read(name, entry.external_task_id)
                assert (log.status, log.run_id) == (entry.status, entry.run_id)
                assert log.status in TERMINAL
                assert bool(log.error_reason) == (log.status is not TaskLogStatus.COMPLETE)
            runs = book.records(name).runs().values()
            assert all(r.completed_at and r.status is not RunStatus.RUNNING for r in runs)

    @invariant()
    def no_task_counts_as_running(self) -> None:
        state = self.office.repl.read()
        assert state.current_task_id is None
        assert self.office.ledger.unfinished() == ()
        if state.last_task_id is not None:
            log = self.session.book.read(self.session.session_id, state.last_task_id)
            assert log.status in TERMINAL

    @invariant()
    def the_status_follows_the_tasks(self) -> None:
        state = self.session.state
        assert state is not None
        unfinished = bool(self.session.unfinished())
        assert state.status is (SessionStatus.UNFINISHED if unfinished else SessionStatus.READY)
        assert state.continuation_approved == self.approved
        assert state.limit_violations == self.violations


class TestSessions(SessionMachine.TestCase):
    """R-16, R-17, R-26, R-27, R-38 Sessions: approvals, overruns, logs and lists stay true."""

    settings = settings(stateful_step_count=20)


def test_a_former_owner_cannot_write() -> None:
    office = Office()
    session = run(office.sessions.start())
    office.owners.die()
    run(office.sessions.open(session.session_id))
    before = dict(office.disk)
    task = session.new_task("run_001", "create it", "fake")
    with pytest.raises(PmError, match="E402"):
        run(session.book.open(task.session_id, task.task_id, "thr_002", "run_001", "x", PATHS.root))
    assert office.disk == before


@pytest.mark.parametrize(
    "content",
    [
        b"{",
        b'{"current_task_id": 1}',
        b'{"current_task_id": "t", "last_task_id": "t"}',
        b'{"selected_provider": "nobody"}',
    ],
)
def test_a_damaged_state_is_not_repaired(content: bytes) -> None:
    office = Office()
    session = run(office.sessions.start())
    office.disk[PATHS.claude / "repl.json"] = content
    task = session.new_task("run_001", "create it", "fake")

    async def work(_: OpenLog) -> RunResult:
        raise AssertionError("nothing may begin")

    with pytest.raises(PmError, match="E105"):
        run(session.carry_out(task, office.ledger, work))
    assert session.book.entries(session.session_id) == ()
    assert office.disk[PATHS.claude / "repl.json"] == content


@given(st.integers(1, 60), st.sampled_from([7, 9]))
def test_a_reopened_task_never_counts_as_ended(die_at: int, tasks: int) -> None:
    """R-27 /tasks-/logs Consistency: whatever the index calls ended has ended, at any instant."""
    office = Office()
    session = run(office.sessions.start())
    name = session.session_id
    for _ in range(tasks):
        task = session.new_task(office.next_run(), "create it", "fake")
        carried = session.carry_out(task, office.ledger, incomplete)
        run(carried)
    office.owners.die()
    office.restart(die_at)
    session = office.sessions.own(name)
    try:
        for entry in session.unfinished()[-1:] * 5:
            log = session.book.read(name, entry.task_id)
            again = session.same_task(log, office.next_run(), "fake", RunTrigger.CONTINUATION)
            run(session.carry_out(again, office.ledger, incomplete))
    except PowerCut:
        pass
    book = TaskLogBook(MemoryFiles(office.disk), office.clock, PATHS.claude, Masker())
    for entry in book.entries(name):
        log = book.read(name, entry.task_id)
        assert log.status is entry.status
        assert log.run_id == entry.run_id or entry.status not in TERMINAL


async def incomplete(_: OpenLog) -> RunResult:
    return finding(TaskStatus.INCOMPLETE)


class CountedFiles(MemoryFiles):
    """Counts the bytes that go to the disk."""

    def __init__(self) -> None:
        super().__init__()
        self.bytes = 0

    @override
    async def replace(self, path: Path, data: bytes) -> None:
        self.bytes += len(data)
        await super().replace(path, data)

    @override
    async def append(self, path: Path, data: bytes) -> None:
        self.bytes += len(data)
        await super().append(path, data)


def test_a_long_session_costs_no_more_per_task() -> None:
    """What is written for a task does not grow with the number of tasks before it."""
    office = Office()
    files = CountedFiles()
    sessions = office.sessions_on(files)
    ledger = TaskLedger(files, PATHS.unfinished, None)
    written: list[int] = []

    async def work(_: OpenLog) -> RunResult:
        return finding(TaskStatus.COMPLETE)

    async def live_long() -> None:
        session = await sessions.start()
        for _ in range(2):
            before = files.bytes
            for _ in range(400):
                task = session.new_task(office.next_run(), "create it", "fake")
                await session.carry_out(task, ledger, work)
            written.append(files.bytes - before)
        index = json.loads(files.disk[index_of(session)])
        assert len(index["entries"]) < 800
        assert len(session.book.entries(session.session_id)) == 800
        await session.leave()
        index = json.loads(files.disk[index_of(session)])
        assert len(index["entries"]) == 800

    run(live_long())
    assert written[1] <= 1.5 * written[0]


def index_of(session: OpenSession) -> Path:
    return PATHS.claude / "logs" / "sessions" / session.session_id / "index.json"
