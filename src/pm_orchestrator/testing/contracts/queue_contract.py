"""What every bus promises, as tests; a new queue subclasses `QueueContract`."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from pm_orchestrator.domain.company.agent import AgentMessage
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.ports.message_queue import MessageQueue
from pm_orchestrator.testing.memory.fake_clock import FakeClock

OpenQueue = Callable[[], MessageQueue]
"""Another handle on the same storage, as another process would have it."""


def message(
    number: int, *, recipient: str = "worker-1", run_id: str = "run_001", **payload: Any
) -> AgentMessage:
    """A message that differs from others by its number."""
    return AgentMessage(
        id=f"message-{number}",
        run_id=run_id,
        type="task_assign",
        sender="manager",
        recipient=recipient,
        payload={"number": number, **payload},
        timestamp="2026-01-15T09:00:00.000Z",
    )


class QueueContract:
    """Override `open_queue`; its queues must follow the fixture `clock`."""

    @pytest.fixture
    def open_queue(self) -> OpenQueue:
        raise NotImplementedError

    @pytest.fixture
    def queue(self, open_queue: OpenQueue) -> MessageQueue:
        return open_queue()

    async def test_a_message_arrives_as_it_was_sent(self, queue: MessageQueue) -> None:
        sent = message(1, text="雪\n\x00", nested={"list": [1, None, {"deep": True}]})
        await queue.send(sent)
        delivery = await queue.claim("worker-1", visibility_s=60)
        assert delivery is not None
        assert (delivery.message, delivery.attempt) == (sent, 1)
        assert await queue.acknowledge(delivery)
        assert await queue.claim("worker-1", visibility_s=60) is None

    async def test_messages_come_in_order_of_sending(self, open_queue: OpenQueue) -> None:
        senders = [open_queue(), open_queue()]
        for number in range(12):
            await senders[number % 2].send(message(number))
        claimer = open_queue()
        got = [await claimer.claim("worker-1", visibility_s=60) for _ in range(12)]
        assert [d.message.payload["number"] for d in got if d] == list(range(12))

    async def test_each_recipient_has_its_own(self, queue: MessageQueue) -> None:
        await queue.send(message(1, recipient="worker-1"))
        await queue.send(message(2, recipient="worker-2"))
        second = await queue.claim("worker-2", visibility_s=60)
        assert second is not None
        assert second.message.id == "message-2"
        assert await queue.claim("worker-2", visibility_s=60) is None
        assert await queue.claim("worker-3", visibility_s=60) is None

    async def test_a_claimed_message_is_hidden(self, open_queue: OpenQueue) -> None:
        await open_queue().send(message(1))
        assert await open_queue().claim("worker-1", visibility_s=60) is not None
        assert await open_queue().claim("worker-1", visibility_s=60) is None

    async def test_an_unacknowledged_message_comes_again(
        self, open_queue: OpenQueue, clock: FakeClock
    ) -> None:
        await open_queue().send(message(1))
        await open_queue().claim("worker-1", visibility_s=30)
        clock.advance(29.5)
        assert await open_queue().claim("worker-1", visibility_s=30) is None
        clock.advance(0.5)
        again = await open_queue().claim("worker-1", visibility_s=30)
        assert again is not None
        assert (again.message, again.attempt) == (message(1), 2)

    async def test_a_late_claimer_cannot_acknowledge(
        self, queue: MessageQueue, clock: FakeClock
    ) -> None:
        await queue.send(message(1))
        late = await queue.claim("worker-1", visibility_s=30)
        clock.advance(31)
        current = await queue.claim("worker-1", visibility_s=30)
        assert late is not None
        assert current is not None
        assert not await queue.acknowledge(late)
        assert await queue.acknowledge(current)
        assert not await queue.acknowledge(late)

    async def test_late_is_fine_when_nobody_else_took_it(
        self, queue: MessageQueue, clock: FakeClock
    ) -> None:
        await queue.send(message(1))
        late = await queue.claim("worker-1", visibility_s=30)
        clock.advance(31)
        assert late is not None
        assert await queue.acknowledge(late)
        assert await queue.claim("worker-1", visibility_s=30) is None

    async def test_acknowledging_twice_is_one_acknowledgement(self, queue: MessageQueue) -> None:
        await queue.send(message(1))
        delivery = await queue.claim("worker-1", visibility_s=30)
        assert delivery is not None
        assert await queue.acknowledge(delivery)
        assert await queue.acknowledge(delivery)

    async def test_an_expired_message_keeps_its_place(
        self, queue: MessageQueue, clock: FakeClock
    ) -> None:
        await queue.send(message(1))
        await queue.claim("worker-1", visibility_s=30)
        await queue.send(message(2))
        clock.advance(31)
        first = await queue.claim("worker-1", visibility_s=30)
        assert first is not None
        assert first.message.id == "message-1"

    async def test_claims_of_the_dead_are_released(self, open_queue: OpenQueue) -> None:
        queue = open_queue()
        for number in range(3):
            await queue.send(message(number))
        await queue.send(message(9, recipient="worker-2"))
        dead = [await queue.claim("worker-1", visibility_s=1e6) for _ in range(2)]
        assert await queue.claim("worker-2", visibility_s=1e6) is not None
        assert await open_queue().release("worker-1") == 2
        assert dead[0] is not None
        assert not await queue.acknowledge(dead[0])
        again = [await open_queue().claim("worker-1", visibility_s=60) for _ in range(3)]
        assert [(d.message.id, d.attempt) for d in again if d] == [
            ("message-0", 2),
            ("message-1", 2),
            ("message-2", 1),
        ]
        assert await queue.claim("worker-2", visibility_s=60) is None
        assert await open_queue().release("worker-3") == 0

    @pytest.mark.parametrize("state", ["waiting", "claimed", "acknowledged"])
    async def test_the_same_id_is_sent_once(self, open_queue: OpenQueue, state: str) -> None:
        await open_queue().send(message(1))
        if state != "waiting":
            delivery = await open_queue().claim("worker-1", visibility_s=30)
            assert delivery is not None
            if state == "acknowledged":
                assert await open_queue().acknowledge(delivery)
        await open_queue().send(message(1, later=True))
        await open_queue().send(message(1, recipient="worker-2"))
        expected = 1 if state == "waiting" else 0
        claims = [await open_queue().claim("worker-1", visibility_s=30) for _ in range(2)]
        assert sum(claim is not None for claim in claims) == expected
        assert await open_queue().claim("worker-2", visibility_s=30) is None
        assert await open_queue().history("run_001") == (message(1),)

    async def test_history_keeps_everything_in_order(self, open_queue: OpenQueue) -> None:
        queue = open_queue()
        sent = [message(n, recipient=f"worker-{n % 3}") for n in (3, 1, 2, 10, 5)]
        for one in sent:
            await queue.send(one)
        await queue.send(message(7, run_id="run_002"))
        delivery = await queue.claim("worker-0", visibility_s=30)
        assert delivery is not None
        await queue.acknowledge(delivery)
        assert await open_queue().history("run_001") == tuple(sent)
        assert await open_queue().history("run_002") == (message(7, run_id="run_002"),)
        assert await open_queue().history("run_003") == ()

    async def test_a_waiting_claimer_gets_what_is_sent_meanwhile(
        self, open_queue: OpenQueue
    ) -> None:
        waiting = asyncio.create_task(
            open_queue().claim("worker-1", visibility_s=1e6, wait_s=3000.0)
        )
        for _ in range(5):
            await asyncio.sleep(0)
        await open_queue().send(message(1))
        delivery = await waiting
        assert delivery is not None
        assert delivery.message.id == "message-1"

    async def test_waiting_ends(self, queue: MessageQueue, clock: FakeClock) -> None:
        before = clock.monotonic()
        assert await queue.claim("worker-1", visibility_s=30, wait_s=0.7) is None
        assert 0.7 <= clock.monotonic() - before < 0.8

    @pytest.mark.parametrize("name", ["", "..", "a/b", ".hidden", "x" * 200, "ワーカー"])
    async def test_names_that_cannot_be_files_are_refused(
        self, queue: MessageQueue, name: str
    ) -> None:
        with pytest.raises(PmError) as caught:
            await queue.send(message(1, recipient=name))
        assert caught.value.code == "E210"
        with pytest.raises(PmError):
            await queue.claim(name, visibility_s=1)
        with pytest.raises(PmError):
            await queue.send(message(1, run_id=name))
        with pytest.raises(PmError):
            await queue.history(name)

    async def test_claimers_share_without_overlap(self, open_queue: OpenQueue) -> None:
        sender = open_queue()
        for number in range(20):
            await sender.send(message(number))
        taken: list[str] = []

        async def work() -> None:
            queue = open_queue()
            while delivery := await queue.claim("worker-1", visibility_s=60):
                await asyncio.sleep(0)
                assert await queue.acknowledge(delivery)
                taken.append(delivery.message.id)

        async with asyncio.TaskGroup() as group:
            for _ in range(4):
                group.create_task(work())
        assert sorted(taken) == sorted(f"message-{n}" for n in range(20))
