"""Every task has a log, from its first moment to its last."""

import asyncio
import json
from pathlib import Path

import pytest
from msgspec import UNSET

from pm_orchestrator.adapters.stores.local_files import LocalFiles
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.log_contents import FileOperation, RanTests, TaskStarted
from pm_orchestrator.domain.history.session import RunEntry, RunStatus, ThreadEntry, ThreadType
from pm_orchestrator.domain.history.task_log import (
    BlockedReason,
    LogEventType,
    SessionLogEntry,
    SessionLogIndex,
    TaskLog,
    TaskLogIndex,
    TaskLogStatus,
    TerminatedBy,
    VisibilityLevel,
)
from pm_orchestrator.domain.ids import iso
from pm_orchestrator.domain.record import from_json, to_file
from pm_orchestrator.domain.tasks.evidence_record import ArtifactList, EvidenceSummary, VerifiedFile
from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.evidence.records.log_book import TaskLogBook
from pm_orchestrator.evidence.records.open_log import OpenLog
from pm_orchestrator.testing.memory.fake_clock import FakeClock
from pm_orchestrator.testing.memory.memory_files import MemoryFiles

KEY = "s" + "k-" + "aB3dE5fG7h" * 4
ROOT = Path("/project")
CLAUDE = ROOT / ".claude"
FOLDER = CLAUDE / "logs" / "sessions" / "s-1"
VERIFIED = (
    VerifiedFile(path="a.py", exists=True, detected_at="t", detection_method="diff"),
    VerifiedFile(path="gone.py", exists=False, detected_at="t", detection_method="executor_claim"),
)


@pytest.fixture
def files() -> MemoryFiles:
    return MemoryFiles()


@pytest.fixture
def book(files: MemoryFiles, clock: FakeClock) -> TaskLogBook:
    return TaskLogBook(files, clock, CLAUDE, Masker())


async def begin(
    book: TaskLogBook, task: str = "task-1768282936521", session: str = "s-1"
) -> OpenLog:
    return await book.open(session, task, "thr_001", "run_001", "Create README.md", ROOT)


async def test_a_task_is_in_the_index_and_has_a_log_at_once(
    book: TaskLogBook, files: MemoryFiles
) -> None:
    await begin(book)
    index = from_json(TaskLogIndex, files.read(FOLDER / "index.json"))
    assert [entry.status for entry in index.entries] == [TaskLogStatus.QUEUED]
    log = from_json(TaskLog, files.read(FOLDER / "tasks" / "task-001.json"))
    assert (log.task_id, log.log_id, log.session_id) == ("task-1768282936521", "task-001", "s-1")
    assert log.status is TaskLogStatus.QUEUED
    assert log.verification_root == "/project"
    assert log.prompt_summary == "Create README.md"
    assert log.masked
    assert log.visibility is VisibilityLevel.SUMMARY
    assert [event.event_type for event in log.events] == [LogEventType.USER_INPUT]
    assert log.events[0].content == {"text": "Create README.md"}


async def test_the_first_event_shows_that_it_runs(book: TaskLogBook, clock: FakeClock) -> None:
    log = await begin(book)
    clock.advance(1.5)
    await log.add(TaskStarted(action="create"))
    await log.add(RanTests(gate="test", verdict="pass"))
    entry = book.entries("s-1")[0]
    assert entry.status is TaskLogStatus.RUNNING
    assert entry.completed_at is None
    assert entry.duration_ms == 1500
    assert entry.tests_run_count == 1
    stored = book.read("s-1", "task-001")
    assert stored == log.log
    assert stored.events[1].timestamp == "2026-01-15T09:00:01.500Z"
    clock.advance(1)
    assert book.entries("s-1")[0].duration_ms == 2500


async def test_a_complete_task(book: TaskLogBook, clock: FakeClock) -> None:
    log = await begin(book)
    clock.advance(2)
    summary = EvidenceSummary(
        files_expected=("a.py",),
        files_verified=("a.py",),
        files_missing=(),
        verification_passed=True,
        verification_reason="all there",
        verified_files=VERIFIED,
    )
    ended = await log.close(
        TaskStatus.COMPLETE,
        "not needed",
        artifacts=ArtifactList(files_created=("a.py",)),
        verified_files=VERIFIED,
        evidence_refs=("ev-1", "ev-2"),
        evidence_summary=summary,
        executor_summary="done",
    )
    assert book.read("s-1", "task-001") == ended
    assert ended.status is TaskLogStatus.COMPLETE
    assert ended.error_reason is None
    assert ended.ended_at == "2026-01-15T09:00:02.000Z"
    assert ended.evidence_summary == summary
    assert ended.executor_summary == "done"
    assert ended.executor_blocked is UNSET
    last = ended.events[-1]
    assert last.event_type is LogEventType.TASK_COMPLETED
    assert last.content == {
        "status": "COMPLETE",
        "files_modified": ["a.py"],
        "evidence_ref": "ev-2",
    }
    entry = book.entries("s-1")[0]
    assert (entry.status, entry.duration_ms) == (TaskLogStatus.COMPLETE, 2000)
    assert entry.files_modified_count == 1
    assert entry.log_file == "tasks/task-001.json"


@pytest.mark.parametrize(
    ("status", "word", "event"),
    [
        (TaskStatus.INCOMPLETE, TaskLogStatus.INCOMPLETE, LogEventType.TASK_INCOMPLETE),
        (TaskStatus.NO_EVIDENCE, TaskLogStatus.INCOMPLETE, LogEventType.TASK_INCOMPLETE),
        (TaskStatus.ERROR, TaskLogStatus.ERROR, LogEventType.TASK_ERROR),
        (TaskStatus.INVALID, TaskLogStatus.ERROR, LogEventType.TASK_ERROR),
    ],
)
async def test_a_task_that_ends_badly_says_why(
    book: TaskLogBook, status: TaskStatus, word: TaskLogStatus, event: LogEventType
) -> None:
    log = await begin(book)
    for nothing in (None, "", "  "):
        with pytest.raises(PmError, match="E204"):
            await log.close(status, nothing)
    ended = await log.close(status, "lint failed", runner_decision="reject")
    assert ended.status is word
    assert ended.error_reason == "lint failed"
    assert ended.runner_decision == "reject"
    assert ended.events[-1].event_type is event
    assert ended.events[-1].content["error_message"] == "lint failed"
    assert ended.executor_summary is UNSET


async def test_a_blocked_executor_is_recorded(book: TaskLogBook) -> None:
    log = await begin(book)
    ended = await log.close(
        TaskStatus.ERROR,
        "blocked",
        blocked={
            "reason": BlockedReason.TIMEOUT,
            "timeout_ms": 30_000,
            "terminated_by": TerminatedBy.TIMEOUT,
        },
    )
    assert ended.executor_blocked is True
    assert ended.blocked_reason is BlockedReason.TIMEOUT
    assert ended.timeout_ms == 30_000
    assert ended.terminated_by is TerminatedBy.TIMEOUT


async def test_a_closed_log_stays_closed(book: TaskLogBook) -> None:
    log = await begin(book)
    ended = await log.close(TaskStatus.COMPLETE, None)
    with pytest.raises(PmError, match="E204"):
        await log.close(TaskStatus.ERROR, "no")
    with pytest.raises(PmError, match="E204"):
        await log.add(FileOperation())
    assert book.read("s-1", "task-001") == ended


async def test_both_ids_find_the_same_log(book: TaskLogBook) -> None:
    await begin(book, "task-1768282936521")
    await begin(book, "task-1768282936522")
    assert book.read("s-1", "task-002") == book.read("s-1", "task-1768282936522")
    with pytest.raises(PmError, match="E210"):
        book.read("s-1", "task-003")
    with pytest.raises(PmError, match="E210"):
        book.read("s-none", "task-001")


async def test_a_taken_id_is_refused_and_nothing_is_written(
    book: TaskLogBook, files: MemoryFiles
) -> None:
    await begin(book)
    before = dict(files.disk)
    with pytest.raises(PmError, match="E204"):
        await begin(book)
    with pytest.raises(PmError, match="E204"):
        await begin(book, "task-001")
    assert files.disk == before


async def test_a_log_id_never_equals_somebody_elses_external_id(book: TaskLogBook) -> None:
    await begin(book, "task-002")
    await begin(book, "other")
    assert [entry.task_id for entry in book.entries("s-1")] == ["task-001", "task-003"]
    assert book.read("s-1", "task-002").log_id == "task-001"


@pytest.mark.parametrize(("session", "task"), [("../x", "t"), ("s", "../t"), ("s", ""), ("", "t")])
async def test_ids_that_are_no_safe_names_are_refused(
    book: TaskLogBook, files: MemoryFiles, session: str, task: str
) -> None:
    with pytest.raises(PmError, match="E210"):
        await begin(book, task, session)
    assert files.disk == {}


async def test_paths_are_absolute_and_relative_where_they_must_be(book: TaskLogBook) -> None:
    with pytest.raises(PmError, match="E102"):
        await book.open("s-1", "t", "thr_001", "run_001", "x", Path("relative"))
    log = await begin(book)
    absolute = VerifiedFile(path="/a.py", exists=True, detected_at="t", detection_method="diff")
    with pytest.raises(PmError, match="E302"):
        await log.close(TaskStatus.COMPLETE, None, verified_files=(absolute,))


async def test_nothing_secret_or_personal_is_written(book: TaskLogBook, files: MemoryFiles) -> None:
    mail = "jane@example.com"
    prompt = f"use {KEY} and mail {mail}"
    log = await book.open("s-1", "t", "thr_001", "run_001", prompt, ROOT)
    await log.add(FileOperation(findings=({"text": KEY},), count=2))
    await log.close(
        TaskStatus.ERROR,
        f"refused {KEY} for {mail}",
        executor_summary=KEY,
        artifacts=ArtifactList(files_touched=(f"x-{KEY}",)),
    )
    for data in files.disk.values():
        assert KEY.encode() not in data
        assert mail.encode() not in data
    assert book.read("s-1", "t").prompt_summary == "use [MASKED:OPENAI_KEY] and mail [MASKED:EMAIL]"


async def test_a_long_prompt_is_summed_up(book: TaskLogBook) -> None:
    log = await book.open("s-1", "t", "thr_001", "run_001", "word\n" * 100, ROOT)
    assert len(log.log.prompt_summary) == 100
    assert "\n" not in log.log.prompt_summary


async def test_the_global_index_lists_sessions_in_order(
    book: TaskLogBook, files: MemoryFiles, clock: FakeClock
) -> None:
    assert book.latest_session() is None
    for session in ("s-1", "s-2", "s-1"):
        clock.advance(1)
        await begin(book, f"task-{clock.now():%S}", session)
    path = CLAUDE / "logs" / "index.json"
    indexes = from_json(tuple[TaskLogIndex, ...], files.read(path))
    assert [index.session_id for index in indexes] == ["s-1", "s-2"]
    assert [len(index.entries) for index in indexes] == [2, 1]
    assert indexes[0].created_at < indexes[0].updated_at
    assert book.latest_session() == "s-2"


async def test_a_list_of_sessions_from_before_is_read_and_made_again(
    book: TaskLogBook, files: MemoryFiles, clock: FakeClock
) -> None:
    await begin(book, "task-1", "s-1")
    path = CLAUDE / "logs" / "index.json"
    before = iso(clock.now())
    older = SessionLogIndex(
        created_at=before,
        updated_at=before,
        sessions=tuple(
            SessionLogEntry(
                session_id=name, started_at=before, index_file=f"sessions/{name}/index.json"
            )
            for name in ("s-0", "s-1")
        ),
    )
    await files.replace(path, to_file(older))
    assert book.latest_session() == "s-1"
    clock.advance(1)
    await begin(book, "task-2", "s-2")
    indexes = from_json(tuple[TaskLogIndex, ...], files.read(path))
    # One that never had a task, one that had, and the new one.
    assert [index.session_id for index in indexes] == ["s-0", "s-1", "s-2"]
    assert [len(index.entries) for index in indexes] == [0, 1, 1]


async def test_a_session_can_begin_before_its_first_task(book: TaskLogBook) -> None:
    await book.start_session("s-0")
    assert book.latest_session() == "s-0"
    assert book.entries("s-0") == ()
    with pytest.raises(PmError, match="E210"):
        await book.start_session("../s")


async def test_the_session_file_lists_threads_and_runs(book: TaskLogBook) -> None:
    assert book.session("s-1") is None
    await begin(book)
    await book.open(
        "s-1", "t", "thr_002", "run_002", "x", ROOT, thread_type=ThreadType.BACKGROUND, parent="p"
    )
    await book.end_run("s-1", "run_001", RunStatus.COMPLETED)
    session = book.session("s-1")
    assert session is not None
    assert session.threads == (
        ThreadEntry(thread_id="thr_001", thread_type=ThreadType.MAIN),
        ThreadEntry(thread_id="thr_002", thread_type=ThreadType.BACKGROUND),
    )
    assert session.runs == (
        RunEntry(run_id="run_001", thread_id="thr_001", status=RunStatus.COMPLETED),
        RunEntry(run_id="run_002", thread_id="thr_002", status=RunStatus.RUNNING),
    )
    assert book.read("s-1", "t").parent_task_id == "p"


async def test_a_run_nobody_began_cannot_end(book: TaskLogBook) -> None:
    with pytest.raises(PmError, match="E210"):
        await book.end_run("s-1", "run_001", RunStatus.FAILED)
    await begin(book)
    with pytest.raises(PmError, match="E210"):
        await book.end_run("s-1", "run_009", RunStatus.FAILED)


async def test_the_link_leads_to_the_current_sessions_logs(
    tmp_path: Path, clock: FakeClock
) -> None:
    book = TaskLogBook(LocalFiles(clock), clock, tmp_path / ".claude", Masker())
    link = tmp_path / ".pm-orchestrator" / "session" / "logs"
    for session in ("s-1", "s-2"):
        await begin(book, f"in-{session}", session)
        await begin(book, f"more-{session}", session)
        found = json.loads((link / "task-001.json").read_bytes())
        assert found["task_id"] == f"in-{session}"


async def test_parallel_tasks_keep_index_and_logs_in_step(
    book: TaskLogBook, files: MemoryFiles, clock: FakeClock
) -> None:
    other = TaskLogBook(files, clock, CLAUDE, Masker())

    async def live(number: int) -> None:
        log = await begin((book, other)[number % 2], f"task-{number:05d}x")
        async with asyncio.TaskGroup() as group:
            for _ in range(3):
                group.create_task(log.add(FileOperation(count=number)))
        await log.close(TaskStatus.COMPLETE, None)

    async with asyncio.TaskGroup() as group:
        for number in range(8):
            group.create_task(live(number))
    entries = book.entries("s-1")
    assert [entry.task_id for entry in entries] == [f"task-{n:03d}" for n in range(1, 9)]
    assert {entry.status for entry in entries} == {TaskLogStatus.COMPLETE}
    assert all(len(book.read("s-1", entry.task_id).events) == 5 for entry in entries)


async def test_a_log_that_is_gone_is_said(book: TaskLogBook, files: MemoryFiles) -> None:
    await begin(book)
    del files.disk[FOLDER / "tasks" / "task-001.json"]
    assert book.entries("s-1")[0].status is TaskLogStatus.QUEUED
    with pytest.raises(PmError, match="E303"):
        book.read("s-1", "task-001")


async def test_a_log_that_cannot_be_written_stops_the_task(clock: FakeClock) -> None:
    book = TaskLogBook(MemoryFiles(full=True), clock, CLAUDE, Masker())
    with pytest.raises(PmError, match="E902"):
        await begin(book)
