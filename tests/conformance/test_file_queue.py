"""The file queue keeps the contract of queues, and what only files can break."""

import logging
from pathlib import Path

import pytest
from typing_extensions import override

from pm_orchestrator.adapters.queues.file_queue import FileQueue, FileQueues
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.testing.benches.adapter_site import adapter_site
from pm_orchestrator.testing.contracts.queue_contract import OpenQueue, QueueContract, message
from pm_orchestrator.testing.memory.fake_clock import CountingIds, FakeClock


class TestFileQueue(QueueContract):
    """E-28 Message Queue Abstraction: the file queue delivers as every queue must."""

    @pytest.fixture
    @override
    def open_queue(self, tmp_path: Path, clock: FakeClock) -> OpenQueue:
        site = adapter_site(tmp_path, clock)
        return lambda: FileQueues().open(site)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "bus"


@pytest.fixture
def queue(root: Path, clock: FakeClock, ids: CountingIds) -> FileQueue:
    return FileQueue(root, clock, ids)


def quarantined(root: Path) -> list[Path]:
    return sorted(path for path in (root / "quarantine").rglob("*") if path.is_file())


async def drain(queue: FileQueue) -> list[str]:
    got: list[str] = []
    while delivery := await queue.claim("worker-1", visibility_s=60):
        got.append(delivery.message.id)
        assert await queue.acknowledge(delivery)
    return got


@pytest.mark.parametrize(
    "damage",
    [b"", b'{"sequence": 3, "mess', b"\x00" * 300, b"[]"],
    ids=["empty", "cut", "zeros", "list"],
)
async def test_one_torn_file_is_one_message(
    queue: FileQueue, root: Path, damage: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    for number in range(6):
        await queue.send(message(number))
    torn = sorted((root / "inbox/worker-1/ready").iterdir())[2]
    torn.write_bytes(damage)
    with caplog.at_level(logging.WARNING):
        assert await drain(queue) == [f"message-{n}" for n in (0, 1, 3, 4, 5)]
    assert [path.read_bytes() for path in quarantined(root)] == [damage]
    assert "put aside" in caplog.text
    assert [m.payload["number"] for m in await queue.history("run_001")] == [0, 1, 3, 4, 5]
    # It is lost, not forgotten: sending it again delivers it.
    await queue.send(message(2))
    assert await drain(queue) == ["message-2"]


async def test_a_message_found_torn_when_sent_again_is_sent_anew(
    queue: FileQueue, root: Path
) -> None:
    await queue.send(message(1))
    (root / "messages/run_001/message-1.json").write_bytes(b"torn")
    await queue.send(message(1))
    assert await drain(queue) == ["message-1"]
    assert len(quarantined(root)) == 2


@pytest.mark.parametrize("count", [b"", b"garbage", b"000000000001"])
async def test_order_survives_a_lost_count(
    queue: FileQueue, root: Path, clock: FakeClock, ids: CountingIds, count: bytes
) -> None:
    for number in range(3):
        await queue.send(message(number))
    delivery = await queue.claim("worker-1", visibility_s=60)
    assert delivery is not None
    await queue.acknowledge(delivery)
    (root / "lock").write_bytes(count)
    await FileQueue(root, clock, ids).send(message(3))
    assert await drain(queue) == [f"message-{n}" for n in (1, 2, 3)]


async def test_files_of_others_are_left_alone(queue: FileQueue, root: Path) -> None:
    await queue.send(message(1))
    (root / "inbox/worker-1/ready/notes.txt").write_text("mine", encoding="utf-8")
    (root / "inbox/worker-1/claimed/.swp").write_text("mine", encoding="utf-8")
    assert await drain(queue) == ["message-1"]
    assert quarantined(root) == []


async def test_a_receipt_is_no_path(queue: FileQueue, root: Path) -> None:
    await queue.send(message(1))
    delivery = await queue.claim("worker-1", visibility_s=60)
    assert delivery is not None
    forged = type(delivery)(message=delivery.message, receipt="../../../lock", attempt=1)
    assert not await queue.acknowledge(forged)
    assert (root / "lock").exists()


async def test_a_place_that_cannot_be_written_is_told(
    tmp_path: Path, clock: FakeClock, ids: CountingIds
) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(PmError) as caught:
        await FileQueue(tmp_path / "file" / "bus", clock, ids).send(message(1))
    assert caught.value.code == "E902"
