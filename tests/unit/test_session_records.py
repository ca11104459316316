"""The runs of a long session: noted line by line, told in full when the session is left."""

from pathlib import Path

from pm_orchestrator.domain.history.session import (
    RunStatus,
    RunTrigger,
    SessionMetadata,
    ThreadEntry,
    ThreadType,
)
from pm_orchestrator.domain.record import from_json
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.evidence.records.log_book import TaskLogBook
from pm_orchestrator.evidence.records.session_records import LAG
from pm_orchestrator.testing.memory.fake_clock import FakeClock
from pm_orchestrator.testing.memory.memory_files import MemoryFiles

CLAUDE = Path("/project/.claude")
METADATA = CLAUDE / "logs" / "sessions" / "s-1" / "session.json"
MAIN = ThreadEntry(thread_id="thr_001", thread_type=ThreadType.MAIN)


async def test_what_a_session_says_of_its_runs_is_whole_when_it_is_left() -> None:
    files = MemoryFiles()
    book = TaskLogBook(files, FakeClock(), CLAUDE, Masker(), sole=True)
    await book.start_session("s-1")
    records = book.records("s-1")

    def told() -> dict[str, RunStatus]:
        metadata = from_json(SessionMetadata, files.read(METADATA), "session.json")
        return {run.run_id: run.status for run in metadata.runs}

    names = [f"run_{number:03d}" for number in range(10 * LAG + 1)]
    behind = 0
    for done, name in enumerate(names):
        await records.begin_run("s-1", name, MAIN, RunTrigger.USER_INPUT)
        await records.end_run(name, RunStatus.COMPLETED)
        # It is never behind by more than a part, however long the session is.
        assert len(told()) * LAG >= done * (LAG - 1)
        behind += len(told()) <= done
    assert behind > len(names) / 2, "or each run would cost more than the one before"
    assert len(told()) < len(names)
    await book.settle("s-1")
    assert told() == dict.fromkeys(names, RunStatus.COMPLETED)
