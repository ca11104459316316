"""Evidence under crashes, parallel workers and tampering."""

import asyncio
import tempfile
from pathlib import Path

from hypothesis import given, strategies as st

from pm_orchestrator.evidence.chain.integrity import check
from pm_orchestrator.evidence.chain.recorder import EvidenceRecorder
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.evidence.records.task_inventory import task_inventory
from pm_orchestrator.ports.recorder import Operation
from pm_orchestrator.testing.memory.fake_clock import CountingIds, FakeClock
from pm_orchestrator.testing.memory.memory_files import MemoryFiles, PowerCut

names = st.sampled_from(["task-1", "task-2", "task-3"])
raws = st.text(max_size=30)
operations = st.lists(
    st.builds(Operation, type=st.just("t"), raw=raws, session_id=st.just("s"), task_id=names),
    min_size=1,
    max_size=6,
)


class Room:
    """A fresh place on disk for one example."""

    def __init__(self, root: str) -> None:
        self.claude = Path(root) / ".claude"
        self.heads = Path(root) / "heads"
        self.ids = CountingIds()

    def recorder(self, files: MemoryFiles) -> EvidenceRecorder:
        return EvidenceRecorder(files, FakeClock(), self.ids, Masker(), self.claude, self.heads)


@given(operations)
def test_every_operation_has_evidence(given_operations: list[Operation]) -> None:
    """R-7 Evidence Collection Completeness: what was recorded is in the inventory, all of it."""
    with tempfile.TemporaryDirectory() as root:
        room = Room(root)
        files = MemoryFiles()

        async def work() -> list[str]:
            recorder = room.recorder(files)
            return [(await recorder.record(one)).evidence_id for one in given_operations]

        made = asyncio.run(work())
        files.dump()
        found = task_inventory(files, room.claude, [*made, "ev-forgotten"])
        assert found.missing_evidence_operations == ("ev-forgotten",)
        assert found.integrity_failures == ()
        assert len(set(found.raw_evidence_files)) == len(given_operations)


@given(operations, st.integers(1, 3))
def test_one_operation_makes_one_record(given_operations: list[Operation], workers: int) -> None:
    """R-18 Atomic Evidence Recording: exactly one record each, however many work at once."""
    with tempfile.TemporaryDirectory() as root:
        room = Room(root)
        files = MemoryFiles()

        async def work() -> set[str]:
            recorders = [room.recorder(files) for _ in range(workers)]
            async with asyncio.TaskGroup() as group:
                tasks = [
                    group.create_task(recorders[index % workers].record(one))
                    for index, one in enumerate(given_operations)
                ]
            return {task.result().evidence_id for task in tasks}

        made = asyncio.run(work())
        assert len(made) == len(given_operations)
        stored = {path.stem for path in files.disk if path.suffix == ".json"}
        assert stored == made
        files.dump()
        report = check(room.claude, room.heads)
        assert report.intact
        assert report.committed == len(given_operations)


@given(operations, st.integers(1, 24), st.booleans(), st.booleans())
def test_a_power_cut_at_any_write_loses_nothing_that_was_told(
    given_operations: list[Operation], die_at: int, torn: bool, reorder: bool
) -> None:
    """R-21 Evidence Integrity Management: a crash leaves leftovers, never a broken chain."""
    with tempfile.TemporaryDirectory() as root:
        room = Room(root)
        disk: dict[Path, bytes] = {}
        told: list[str] = []

        async def work() -> None:
            recorder = room.recorder(MemoryFiles(disk, die_at=die_at, torn=torn, reorder=reorder))
            for one in given_operations:
                told.append((await recorder.record(one)).evidence_id)

        try:
            asyncio.run(work())
        except PowerCut:
            pass
        files = MemoryFiles(disk)
        files.dump()
        before = check(room.claude, room.heads)
        assert before.intact
        assert before.committed >= len(told)
        again = asyncio.run(room.recorder(files).record(given_operations[0]))
        files.dump()
        after = check(room.claude, room.heads)
        assert after.intact
        assert after.committed in {len(told) + 1, len(told) + 2}
        found = task_inventory(files, room.claude, [*told, again.evidence_id])
        assert found.missing_evidence_operations == ()
        assert found.integrity_failures == ()


@given(operations, st.data())
def test_any_altered_byte_is_seen(given_operations: list[Operation], data: st.DataObject) -> None:
    """R-21 Evidence Integrity Management: no byte of a record, log or link changes unseen."""
    with tempfile.TemporaryDirectory() as root:
        room = Room(root)
        files = MemoryFiles()

        async def work() -> None:
            recorder = room.recorder(files)
            for one in given_operations:
                await recorder.record(one)

        asyncio.run(work())
        files.dump()
        changeable = [path for path, old in files.disk.items() if old and path != room.heads]
        path = data.draw(st.sampled_from(sorted(changeable)))
        content = files.disk[path]
        place = data.draw(st.integers(0, len(content) - 1))
        byte = data.draw(st.integers(0, 255).filter(lambda byte: byte != content[place]))
        path.write_bytes(content[:place] + bytes([byte]) + content[place + 1 :])
        assert not check(room.claude, room.heads).intact
