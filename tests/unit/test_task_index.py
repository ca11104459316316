"""The index of a long session: noted line by line, caught up with now and then."""

from pathlib import Path

from msgspec.structs import replace

from pm_orchestrator.domain.history.task_log import TaskLog, TaskLogIndex, TaskLogStatus
from pm_orchestrator.domain.record import from_json, to_json
from pm_orchestrator.evidence.records.task_index import LAG, TaskIndex
from pm_orchestrator.testing.data.any_record import sample
from pm_orchestrator.testing.memory.fake_clock import FakeClock
from pm_orchestrator.testing.memory.memory_files import MemoryFiles

LOGS = Path("/project/.claude/logs")
FOLDER = LOGS / "sessions" / "s-1"
BEGUN, ENDED = "2026-01-01T00:00:00.000Z", "2026-01-01T00:00:01.000Z"


async def begin(index: TaskIndex, number: int) -> TaskLog:
    def make(log_id: str) -> TaskLog:
        return replace(
            from_json(TaskLog, to_json(sample(TaskLog))),
            log_id=log_id,
            task_id=f"task-{1_000_000_000_000 + number}",
            session_id="s-1",
            status=TaskLogStatus.RUNNING,
            started_at=BEGUN,
            ended_at=None,
        )

    return await index.register_task("s-1", make)


async def end(index: TaskIndex, log: TaskLog) -> None:
    await index.update_task(replace(log, status=TaskLogStatus.COMPLETE, ended_at=ENDED))


def lines(files: MemoryFiles) -> int:
    path = FOLDER / "index.jsonl"
    return len(files.read(path).splitlines()) if files.size(path) else 0


async def test_what_the_index_has_caught_up_with_is_not_noted_any_more() -> None:
    files, clock = MemoryFiles(), FakeClock()
    index = TaskIndex(files, clock, LOGS, sole=True)
    logs = [await begin(index, number) for number in range(10 * LAG)]
    for log in logs:
        await end(index, log)
        # The lines never outgrow their part of the index, however long the session is.
        assert lines(files) * LAG <= len(logs) + LAG
    await index.settle("s-1")
    assert lines(files) == 0
    whole = from_json(TaskLogIndex, files.read(FOLDER / "index.json"), "index.json")
    assert {entry.status for entry in whole.entries} == {TaskLogStatus.COMPLETE}


async def test_an_old_line_never_outlives_the_index_that_knows_better() -> None:
    files, clock = MemoryFiles(), FakeClock()
    index = TaskIndex(files, clock, LOGS, sole=True)
    logs = [await begin(index, number) for number in range(3 * LAG)]
    for log in logs:
        await end(index, log)
        seen = TaskIndex(files, clock, LOGS).entries("s-1")
        assert {e.task_id: e.status for e in seen}[log.log_id] is TaskLogStatus.COMPLETE
        assert seen == index.entries("s-1")
