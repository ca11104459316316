"""Task logs over generated histories and crashes."""

import asyncio
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.log_contents import TaskStarted
from pm_orchestrator.domain.history.task_log import TaskLogStatus, log_status
from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.evidence.records.log_book import TaskLogBook
from pm_orchestrator.testing.memory.fake_clock import FakeClock
from pm_orchestrator.testing.memory.memory_files import MemoryFiles, PowerCut

ROOT = Path("/project")
CLAUDE = ROOT / ".claude"
SESSION = "s-1"
TERMINAL = {TaskLogStatus.COMPLETE, TaskLogStatus.INCOMPLETE, TaskLogStatus.ERROR}
ids = st.from_regex(r"task-\d{1,3}|task-17\d{11}|[A-Za-z0-9][\w.-]{0,6}", fullmatch=True).filter(
    str.isascii
)
reasons = st.one_of(st.none(), st.just(""), st.text(max_size=5))


def book_on(files: MemoryFiles) -> TaskLogBook:
    return TaskLogBook(files, FakeClock(), CLAUDE, Masker())


@given(st.lists(st.tuples(st.sampled_from(TaskStatus), reasons), min_size=1, max_size=5))
def test_every_end_leaves_a_whole_log(ends: list[tuple[TaskStatus, str | None]]) -> None:
    """R-26 TaskLog Lifecycle Recording: every end is logged, and a bad one says why."""

    async def work() -> None:
        book = book_on(MemoryFiles())
        for number, (status, reason) in enumerate(ends):
            log = await book.open(SESSION, f"t{number}", "thr_001", "run_001", "x", ROOT)
            needs_reason = status is not TaskStatus.COMPLETE
            if needs_reason and not (reason or "").strip():
                with pytest.raises(PmError, match="E204"):
                    await log.close(status, reason)
                continue
            await log.close(status, reason)
            stored = book.read(SESSION, f"t{number}")
            assert stored.status is log_status(status)
            assert stored.ended_at is not None
            assert len(stored.events) >= 1
            assert bool(stored.error_reason) == needs_reason

    asyncio.run(work())


@given(st.integers(1, 40), st.booleans(), st.integers(1, 3))
def test_the_index_is_never_behind_the_logs(die_at: int, torn: bool, tasks: int) -> None:
    """R-27 /tasks-/logs Consistency: at any instant every log is in the index, every end a log."""
    disk: dict[Path, bytes] = {}
    told: list[str] = []

    async def work() -> None:
        book = book_on(MemoryFiles(disk, die_at=die_at, torn=torn))
        for number in range(tasks):
            log = await book.open(SESSION, f"t{number}", "thr_001", "run_001", "x", ROOT)
            told.append(f"t{number}")
            await log.add(TaskStarted(action="start"))
            await log.close(TaskStatus.COMPLETE, None)

    try:
        asyncio.run(work())
    except PowerCut:
        pass
    book = book_on(MemoryFiles(disk))
    entries = book.entries(SESSION)
    indexed = {entry.task_id for entry in entries}
    stored = {path.stem for path in disk if path.parent.name == "tasks"}
    assert stored <= indexed
    assert set(told) <= {entry.external_task_id for entry in entries}
    for entry in entries:
        if entry.status in TERMINAL:
            assert book.read(SESSION, entry.task_id).status is entry.status
    for task in told:
        assert book.read(SESSION, task).status is not None


@given(st.lists(ids, min_size=1, max_size=8))
def test_ids_map_one_to_one(wanted: list[str]) -> None:
    """R-30 Task ID Cross-Reference Display: one external id, one log id; either finds the log."""

    async def work() -> None:
        book = book_on(MemoryFiles())
        registered: list[str] = []
        for task in wanted:
            taken = {entry.task_id for entry in book.entries(SESSION)} | set(registered)
            if task in taken:
                with pytest.raises(PmError, match="E204"):
                    await book.open(SESSION, task, "thr_001", "run_001", "x", ROOT)
            else:
                await book.open(SESSION, task, "thr_001", "run_001", "x", ROOT)
                registered.append(task)
        entries = book.entries(SESSION)
        assert [entry.external_task_id for entry in entries] == registered
        assert len({entry.task_id for entry in entries}) == len(entries)
        for entry in entries:
            log = book.read(SESSION, entry.external_task_id)
            assert log == book.read(SESSION, entry.task_id)
            assert (log.task_id, log.log_id) == (entry.external_task_id, entry.task_id)

    asyncio.run(work())
