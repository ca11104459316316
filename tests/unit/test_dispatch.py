"""Assigning over the bus: what is promised when somebody dies or misbehaves."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from typing_extensions import override

from pm_orchestrator.dispatch.pool import WorkerPool
from pm_orchestrator.dispatch.replies import IN_REPLY_TO, assignment_id, failed_reply, reply_id
from pm_orchestrator.dispatch.worker_loop import Handle, serve
from pm_orchestrator.domain.company.agent import AgentMessage
from pm_orchestrator.domain.errors import PmError, RetryableError
from pm_orchestrator.ports.message_queue import Delivery
from pm_orchestrator.testing.memory.fake_clock import FakeClock
from pm_orchestrator.testing.memory.memory_queue import MemoryQueue

RUN = "run_001"


@pytest.fixture
def queue(clock: FakeClock) -> MemoryQueue:
    return MemoryQueue(clock)


@asynccontextmanager
async def working(
    queue: MemoryQueue, clock: FakeClock, handle: Handle, worker: str = "worker-1"
) -> AsyncGenerator[None]:
    task = asyncio.create_task(serve(queue, worker, handle, clock, visibility_s=1e6))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait({task})


class Counting:
    def __init__(self) -> None:
        self.calls = 0

    async def __call__(self, message: AgentMessage) -> dict[str, Any]:
        self.calls += 1
        return {"echo": message.payload["text"], IN_REPLY_TO: "somebody else"}


@pytest.mark.parametrize("size", [-1, 0, 5, 100])
def test_a_pool_beyond_the_limit_is_refused(
    queue: MemoryQueue, clock: FakeClock, size: int
) -> None:
    with pytest.raises(PmError) as caught:
        WorkerPool(queue, clock, size, RUN)
    assert (caught.value.code, caught.value.slug) == ("E404", "semaphore_limit")
    assert "1–4" in caught.value.what()


async def test_work_goes_out_and_its_reply_comes_back(queue: MemoryQueue, clock: FakeClock) -> None:
    handle = Counting()
    async with WorkerPool(queue, clock, 1, RUN) as pool, working(queue, clock, handle):
        reply = await pool.assign({"text": "hello"}, key="a")
    assert (reply.type, reply.sender, reply.recipient) == ("task_complete", "worker-1", "manager")
    assert reply.payload == {"echo": "hello", IN_REPLY_TO: assignment_id(RUN, "a")}
    assigned, answered = await queue.history(RUN)
    assert (assigned.type, assigned.recipient) == ("task_assign", "worker-1")
    assert assigned.payload == {"text": "hello"}
    assert answered == reply
    assert await queue.claim("manager", visibility_s=1) is None
    assert await queue.claim("worker-1", visibility_s=1) is None


async def test_an_answered_assignment_is_not_done_again(
    queue: MemoryQueue, clock: FakeClock
) -> None:
    """The manager died after reading the reply and asks again."""
    handle = Counting()
    for _ in range(2):
        async with WorkerPool(queue, clock, 1, RUN) as pool, working(queue, clock, handle):
            reply = await pool.assign({"text": "x"}, key="a")
            again = await pool.assign({"text": "x"}, key="a")
            assert reply == again
    assert handle.calls == 1
    assert len(await queue.history(RUN)) == 2


async def test_a_reply_already_sent_is_not_worked_for_again(
    queue: MemoryQueue, clock: FakeClock
) -> None:
    """The worker died between its reply and the acknowledgement."""
    handle = Counting()
    async with WorkerPool(queue, clock, 1, RUN) as pool:
        assigning = asyncio.create_task(pool.assign({"text": "x"}, key="a"))
        delivery: Delivery | None = None
        while delivery is None:
            delivery = await queue.claim("worker-1", visibility_s=1e6, wait_s=1)
        await queue.send(
            AgentMessage(
                id=reply_id(delivery.message.id),
                run_id=RUN,
                type="task_complete",
                sender="worker-1",
                recipient="manager",
                payload={IN_REPLY_TO: delivery.message.id},
                timestamp="",
            )
        )
        await assigning
        async with working(queue, clock, handle):
            await pool.assign({"text": "next"}, key="b")
    assert handle.calls == 1
    assert not await queue.acknowledge(delivery)


async def test_an_assignment_cut_off_is_taken_over_at_once(
    queue: MemoryQueue, clock: FakeClock
) -> None:
    """The worker died in the middle; its successor does not wait for the deadline."""
    begun = asyncio.Event()

    async def hang(message: AgentMessage) -> dict[str, Any]:
        begun.set()
        await asyncio.Event().wait()
        return {}

    handle = Counting()
    async with WorkerPool(queue, clock, 1, RUN) as pool:
        assigning = asyncio.create_task(pool.assign({"text": "x"}, key="a"))
        async with working(queue, clock, hang):
            await begun.wait()
        async with working(queue, clock, handle):
            assert (await assigning).payload["echo"] == "x"


@pytest.mark.parametrize("fault", ["coded", "crash", "unwritable"])
async def test_a_fault_of_the_worker_is_told(
    queue: MemoryQueue, clock: FakeClock, fault: str
) -> None:
    async def misbehave(message: AgentMessage) -> dict[str, Any]:
        if message.payload["text"] == "fine":
            return {"still": "here"}
        if fault == "coded":
            raise PmError("git_failed", operation="clone", reason="gone")
        if fault == "crash":
            raise ZeroDivisionError("oops")
        return {"object": object()}

    async with WorkerPool(queue, clock, 1, RUN) as pool, working(queue, clock, misbehave):
        reply = await pool.assign({"text": "x"}, key="a")
        after = await pool.assign({"text": "fine"}, key="b")
    assert reply.type == "task_failed"
    expected = {
        "coded": ("git_failed", "E801", "git clone failed: gone."),
        "crash": ("step_crashed", "E201", "ZeroDivisionError: oops"),
        "unwritable": ("step_crashed", "E201", "TypeError"),
    }[fault]
    assert (reply.payload["slug"], reply.payload["code"]) == expected[:2]
    assert expected[2] in reply.payload["what"]
    assert after.payload["still"] == "here"


async def test_an_outage_is_no_answer(queue: MemoryQueue, clock: FakeClock) -> None:
    """The same work is assigned again after one, also by a manager who has died meanwhile."""
    calls: list[str] = []

    async def twice_out_of_order(message: AgentMessage) -> dict[str, Any]:
        calls.append(message.id)
        if len(calls) < 3:
            raise RetryableError("model_unavailable", reason="HTTP 529")
        return {"done": True}

    for expected in ("task_failed", "task_failed", "task_complete", "task_complete"):
        async with (
            WorkerPool(queue, clock, 1, RUN) as pool,
            working(queue, clock, twice_out_of_order),
        ):
            reply = await pool.assign({"text": "x"}, key="a")
        assert reply.type == expected
        if expected == "task_failed":
            error = failed_reply(reply)
            assert isinstance(error, RetryableError)
            assert error.what() == "the model did not answer: HTTP 529."
    assert len(set(calls)) == len(calls) == 3


@pytest.mark.parametrize("field", ["type", "run_id", "answers nothing"])
async def test_a_message_that_is_no_reply_of_ours_is_kept(
    queue: MemoryQueue, clock: FakeClock, caplog: pytest.LogCaptureFixture, field: str
) -> None:
    foreign = AgentMessage(
        id="foreign",
        run_id="run_002" if field == "run_id" else RUN,
        type="escalate" if field == "type" else "task_complete",
        sender="worker-1",
        recipient="manager",
        payload={} if field == "answers nothing" else {IN_REPLY_TO: "x"},
        timestamp="",
    )
    await queue.send(foreign)
    with caplog.at_level(logging.WARNING):
        async with WorkerPool(queue, clock, 1, RUN) as pool, working(queue, clock, Counting()):
            await pool.assign({"text": "x"}, key="a")
    assert "foreign" in caplog.text
    clock.advance(100)
    kept = await queue.claim("manager", visibility_s=1)
    assert kept is not None
    assert kept.message == foreign


async def test_a_closed_pool_assigns_nothing(queue: MemoryQueue, clock: FakeClock) -> None:
    pool = WorkerPool(queue, clock, 1, RUN)
    with pytest.raises(RuntimeError):
        await pool.assign({}, key="a")
    async with pool:
        pass
    with pytest.raises(RuntimeError):
        await pool.assign({}, key="a")
    assert await queue.history(RUN) == ()


class BrokenQueue(MemoryQueue):
    """Loses its disk when replies are read."""

    @override
    async def claim(
        self, recipient: str, *, visibility_s: float, wait_s: float = 0.0
    ) -> Delivery | None:
        await asyncio.sleep(0)
        raise PmError("disk", path="bus", reason="gone")


async def test_a_broken_bus_is_told_to_whoever_waits(clock: FakeClock) -> None:
    with pytest.raises(PmError) as caught:
        async with WorkerPool(BrokenQueue(clock), clock, 1, RUN) as pool:
            await pool.assign({}, key="a")
    assert caught.value.code == "E902"
    with pytest.raises(PmError):
        async with WorkerPool(BrokenQueue(clock), clock, 1, RUN):
            await asyncio.sleep(0.01)
