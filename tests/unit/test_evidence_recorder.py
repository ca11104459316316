"""One record per operation, masked, hashed, chained and on disk."""

import asyncio
from pathlib import Path

import pytest
from msgspec import UNSET

from pm_orchestrator.adapters.stores.local_files import LocalFiles
from pm_orchestrator.adapters.system_clock import RandomIds, SystemClock
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.record import from_json
from pm_orchestrator.domain.tasks.evidence_record import Artifact, ChainLink, Evidence
from pm_orchestrator.evidence.chain import recorder as recorder_module
from pm_orchestrator.evidence.chain.integrity import check
from pm_orchestrator.evidence.chain.links import NO_LINK, Head, digest, evidence_hash, link_hash
from pm_orchestrator.evidence.chain.recorder import EvidenceRecorder
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.ports.recorder import Operation
from pm_orchestrator.testing.memory.fake_clock import CountingIds, FakeClock
from pm_orchestrator.testing.memory.memory_files import MemoryFiles, PowerCut

KEY = "s" + "k-" + "aB3dE5fG7h" * 4


def operation(raw: str = "make lint: ok", **more: object) -> Operation:
    given: dict[str, object] = {"type": "gate_run", "session_id": "s-1", "task_id": "task-1"}
    return Operation(raw=raw, **{**given, **more})  # pyright: ignore[reportArgumentType]


class Desk:
    """A recorder and what it writes to."""

    def __init__(self, root: Path, files: MemoryFiles | None = None) -> None:
        self.root = root
        self.claude = root / ".claude"
        self.heads = root / "state" / "heads"
        self.files = files or MemoryFiles()
        self.clock = FakeClock()
        self.ids = CountingIds()
        self.recorder = self.reopened(self.files)

    def reopened(self, files: MemoryFiles, heads: Path | None = None) -> EvidenceRecorder:
        """As a new process would see it; ids go on counting."""
        head_file = heads or self.heads
        return EvidenceRecorder(files, self.clock, self.ids, Masker(), self.claude, head_file)

    def links(self) -> list[ChainLink]:
        lines = self.files.read(self.claude / "evidence" / "chain.jsonl").splitlines()
        return [from_json(ChainLink, line) for line in lines]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


async def test_a_record_has_its_raw_log_and_its_hash(desk: Desk) -> None:
    artifact = Artifact(kind="commit", ref="abc")
    evidence = await desk.recorder.record(operation(artifacts=(artifact,), executor_id="worker-1"))
    stored = desk.files.read(desk.claude / "evidence" / f"{evidence.evidence_id}.json")
    assert from_json(Evidence, stored) == evidence
    assert evidence.hash == evidence_hash(evidence)
    assert evidence.raw_logs == f"raw/s-1/task-1_{evidence.evidence_id.removeprefix('ev-')}.log"
    raw = desk.files.read(desk.claude / evidence.raw_logs)
    assert raw == b"make lint: ok"
    assert evidence.raw_evidence_refs == (f"sha256:{digest(raw)}",)
    assert evidence.atomic_operation
    assert evidence.integrity_validated
    assert not evidence.contains_sensitive_data
    assert evidence.executor_id == "worker-1"
    assert evidence.artifacts == (artifact,)
    assert evidence.timestamp == "2026-01-15T09:00:00.000Z"


async def test_without_an_executor_there_is_no_such_field(desk: Desk) -> None:
    evidence = await desk.recorder.record(operation(executor_id=None))
    assert evidence.executor_id is UNSET
    stored = desk.files.read(desk.claude / "evidence" / f"{evidence.evidence_id}.json")
    assert b"executor_id" not in stored


async def test_secrets_are_masked_before_they_are_written(desk: Desk) -> None:
    given = operation(
        f"used {KEY}",
        artifacts=(Artifact(kind="log", ref=f"x/{KEY}"), Artifact(kind="file", ref="plain")),
        executor_id=KEY,
    )
    evidence = await desk.recorder.record(given)
    assert evidence.contains_sensitive_data
    assert all(KEY.encode() not in data for data in desk.files.disk.values())
    assert desk.files.read(desk.claude / evidence.raw_logs) == b"used [MASKED:OPENAI_KEY]"
    assert evidence.artifacts[1].ref == "plain"


async def test_a_secret_in_a_name_alone_is_sensitive_too(desk: Desk) -> None:
    artifact = Artifact(kind="log", ref=f"x/{KEY}")
    assert (await desk.recorder.record(operation(artifacts=(artifact,)))).contains_sensitive_data


async def test_records_are_chained_and_the_head_is_copied(desk: Desk) -> None:
    made = [await desk.recorder.record(operation(str(number))) for number in range(3)]
    links = desk.links()
    assert [link.sequence for link in links] == [1, 2, 3]
    assert [link.evidence_id for link in links] == [evidence.evidence_id for evidence in made]
    assert [link.evidence_hash for link in links] == [evidence.hash for evidence in made]
    assert [link.previous for link in links] == [NO_LINK, links[0].link, links[1].link]
    assert all(link.link == link_hash(link) for link in links)
    heads = [from_json(Head, line) for line in desk.files.read(desk.heads).splitlines()]
    assert heads == [Head(sequence=link.sequence, link=link.link) for link in links]


async def test_parallel_workers_do_not_fork_the_chain(desk: Desk) -> None:
    async with asyncio.TaskGroup() as group:
        for number in range(20):
            group.create_task(desk.recorder.record(operation(str(number))))
    assert [link.sequence for link in desk.links()] == list(range(1, 21))
    desk.files.dump()
    assert check(desk.claude, desk.heads).intact


async def test_two_recorders_take_turns_on_one_chain(desk: Desk) -> None:
    other = desk.reopened(desk.files)
    for number in range(6):
        await (desk.recorder, other)[number % 2].record(operation(str(number)))
    desk.files.dump()
    report = check(desk.claude, desk.heads)
    assert report.intact
    assert report.committed == 6


async def test_a_long_chain_is_continued_from_its_end(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorder_module, "TAIL_WINDOW", 500)
    for number in range(8):
        await desk.recorder.record(operation(str(number)))
    await desk.reopened(desk.files).record(operation("later"))
    assert [link.sequence for link in desk.links()] == list(range(1, 10))


async def test_without_a_head_file_the_chain_still_grows(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    for _ in range(2):
        recorder = EvidenceRecorder(
            desk.files, desk.clock, desk.ids, Masker(), desk.claude, head_file=None
        )
        await recorder.record(operation())
    # The second goes on where the first left off, or the chain would begin twice.
    assert [link.sequence for link in desk.links()] == [1, 2]


async def test_a_torn_last_line_is_cut_and_never_trusted(desk: Desk) -> None:
    await desk.recorder.record(operation())
    chain = desk.claude / "evidence" / "chain.jsonl"
    desk.files.disk[chain] += b'{"sequence":2,"evid'
    desk.files.disk[desk.heads] += b'{"sequ'
    await desk.reopened(desk.files).record(operation())
    assert [link.sequence for link in desk.links()] == [1, 2]
    desk.files.dump()
    assert check(desk.claude, desk.heads).intact


async def test_a_line_without_its_files_is_taken_back_when_nobody_was_told(desk: Desk) -> None:
    await desk.recorder.record(operation())
    files = MemoryFiles(desk.files.disk, die_at=2, reorder=True)
    with pytest.raises(PowerCut):
        await desk.reopened(files).record(operation())
    assert [link.sequence for link in desk.links()] == [1, 2]
    lost = desk.links()[1].evidence_id
    await desk.reopened(MemoryFiles(desk.files.disk)).record(operation())
    assert [link.sequence for link in desk.links()] == [1, 2]
    assert desk.links()[1].evidence_id != lost


async def test_a_first_line_without_its_files_is_taken_back_too(tmp_path: Path) -> None:
    desk = Desk(tmp_path, MemoryFiles(die_at=2, reorder=True))
    with pytest.raises(PowerCut):
        await desk.recorder.record(operation())
    await desk.reopened(MemoryFiles(desk.files.disk)).record(operation())
    assert [link.sequence for link in desk.links()] == [1]


async def test_a_line_whose_files_were_taken_away_later_stays(desk: Desk) -> None:
    evidence = await desk.recorder.record(operation())
    del desk.files.disk[desk.claude / evidence.raw_logs]
    await desk.reopened(desk.files).record(operation())
    assert [link.sequence for link in desk.links()] == [1, 2]
    desk.files.dump()
    assert [problem.code for problem in check(desk.claude, desk.heads).problems] == ["E303"]


async def test_a_record_whose_head_was_lost_is_kept_if_it_is_complete(desk: Desk) -> None:
    await desk.recorder.record(operation())
    del desk.files.disk[desk.heads]
    await desk.reopened(desk.files).record(operation())
    assert [link.sequence for link in desk.links()] == [1, 2]


async def test_a_chain_that_shrinks_under_our_hands_stops_the_work(desk: Desk) -> None:
    for _ in range(2):
        await desk.recorder.record(operation())
    chain = desk.claude / "evidence" / "chain.jsonl"
    desk.files.disk[chain] = desk.files.disk[chain].splitlines(keepends=True)[0]
    with pytest.raises(PmError, match=r"E301.*E304"):
        await desk.recorder.record(operation())


async def test_a_full_disk_is_no_evidence(tmp_path: Path) -> None:
    desk = Desk(tmp_path, MemoryFiles(full=True))
    with pytest.raises(PmError, match=r"E301.*No space left") as caught:
        await desk.recorder.record(operation())
    assert caught.value.code == "E301"
    assert desk.files.disk == {}


@pytest.mark.parametrize("field", ["session_id", "task_id"])
async def test_an_id_that_leaves_the_directory_is_refused(desk: Desk, field: str) -> None:
    with pytest.raises(PmError, match="E210"):
        await desk.recorder.record(operation(**{field: "../../etc"}))
    assert desk.files.disk == {}


async def test_on_a_real_disk_too(tmp_path: Path) -> None:
    files = LocalFiles(SystemClock())
    heads = tmp_path / "state" / "heads"
    claude = tmp_path / ".claude"
    recorders = [
        EvidenceRecorder(files, SystemClock(), RandomIds(), Masker(), claude, heads)
        for _ in range(2)
    ]
    async with asyncio.TaskGroup() as group:
        for number in range(10):
            group.create_task(recorders[number % 2].record(operation(str(number))))
    report = check(claude, heads)
    assert report.intact
    assert report.committed == 10
