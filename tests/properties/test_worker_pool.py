"""The pool never lets more work at a time than it may, and keeps the line in order."""

import asyncio
from collections import deque
from contextlib import AsyncExitStack
from typing import Any, NamedTuple

from hypothesis import given, settings, strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from typing_extensions import override

from pm_orchestrator.dispatch.pool import WorkerPool
from pm_orchestrator.dispatch.slots import Slots
from pm_orchestrator.dispatch.worker_loop import serve
from pm_orchestrator.domain.company.agent import AgentMessage
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.testing.memory.fake_clock import FakeClock
from pm_orchestrator.testing.memory.memory_queue import MemoryQueue

PATIENCE = 1e6
"""Longer than any test's clock runs."""


class Job(NamedTuple):
    pauses: int
    fails: bool
    cancelled_after: int | None


JOBS = st.lists(
    st.builds(
        Job,
        pauses=st.integers(0, 12),
        fails=st.booleans(),
        cancelled_after=st.none() | st.integers(0, 60),
    ),
    max_size=12,
)


class Company:
    """A pool with its workers, watching how many work at a time."""

    def __init__(self, size: int, jobs: list[Job]) -> None:
        self._jobs = jobs
        self._clock = FakeClock()
        self.queue = MemoryQueue(self._clock)
        self.pool = WorkerPool(self.queue, self._clock, size, "run_001")
        self.working = 0
        self.most = 0
        self.done: list[int] = []

    async def _handle(self, message: AgentMessage) -> dict[str, Any]:
        number: int = message.payload["job"]
        self.working += 1
        self.most = max(self.most, self.working)
        try:
            for _ in range(self._jobs[number].pauses):
                await asyncio.sleep(0)
            self.done.append(number)
            if self._jobs[number].fails:
                raise PmError("no_session")
            return {"result": number}
        finally:
            self.working -= 1

    async def _assign(self, number: int) -> AgentMessage:
        return await self.pool.assign({"job": number}, key=f"job-{number}")

    async def _order(self, number: int, task: "asyncio.Task[AgentMessage]") -> None:
        patience = self._jobs[number].cancelled_after
        if patience is not None:
            for _ in range(patience):
                await asyncio.sleep(0)
            task.cancel()
        await asyncio.wait({task})

    async def run(self) -> list[AgentMessage | None]:
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(self.pool)
            workers = [
                asyncio.create_task(
                    serve(self.queue, name, self._handle, self._clock, visibility_s=PATIENCE)
                )
                for name in self.pool.workers
            ]
            tasks = [asyncio.create_task(self._assign(n)) for n in range(len(self._jobs))]
            async with asyncio.TaskGroup() as group:
                for number, task in enumerate(tasks):
                    group.create_task(self._order(number, task))
            for worker in workers:
                worker.cancel()
            await asyncio.wait(workers)
            return [None if task.cancelled() else task.result() for task in tasks]


@given(size=st.integers(1, 4), jobs=JOBS)
def test_parallel_execution_limits(size: int, jobs: list[Job]) -> None:
    """R-5, R-12 Parallel Execution Limits: at most `size` at a time, the rest wait in order."""
    company = Company(size, jobs)
    replies = asyncio.run(company.run())
    assert company.most <= size
    for number, (job, reply) in enumerate(zip(jobs, replies, strict=True)):
        if reply is None:
            assert job.cancelled_after is not None
            continue
        assert reply.type == ("task_failed" if job.fails else "task_complete")
        assert job.fails or reply.payload["result"] == number
    # Nothing was lost or done twice, and nobody was overtaken.
    finished = {n for n, reply in enumerate(replies) if reply is not None}
    assert finished <= set(company.done)
    assert len(company.done) == len(set(company.done))
    history = asyncio.run(company.queue.history("run_001"))
    assigned = [m.payload["job"] for m in history if m.type == "task_assign"]
    assert assigned == sorted(assigned)
    # Every slot came back, also from those who were cancelled.
    slots = company.pool._slots
    assert (len(slots._free), any(not place.done() for place in slots._waiting)) == (size, False)


class Line(RuleBasedStateMachine):
    """Requests, cancellations and returns in any order, against a plain queue."""

    def __init__(self) -> None:
        super().__init__()
        self._loop = asyncio.Runner()
        self._size = 1
        self._slots = Slots([])
        self._count = 0
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._leave: dict[int, asyncio.Event] = {}
        self._inside: dict[int, str] = {}
        self._expected_inside: set[int] = set()
        self._expected_waiting: deque[int] = deque()

    @initialize(size=st.integers(1, 4))
    def open(self, size: int) -> None:
        self._size = size
        self._slots = Slots([f"worker-{n}" for n in range(size)])

    async def _visit(self, number: int) -> None:
        async with self._slots.one() as name:
            assert name not in self._inside.values()
            self._inside[number] = name
            try:
                await self._leave[number].wait()
            finally:
                del self._inside[number]

    def _settle(self) -> None:
        async def rest() -> None:
            for _ in range(6):
                await asyncio.sleep(0)

        self._loop.run(rest())

    def _admit(self) -> None:
        while self._expected_waiting and len(self._expected_inside) < self._size:
            self._expected_inside.add(self._expected_waiting.popleft())

    @rule()
    def ask(self) -> None:
        self._count += 1
        number = self._count
        self._leave[number] = asyncio.Event()
        self._tasks[number] = self._loop.get_loop().create_task(self._visit(number))
        self._expected_waiting.append(number)
        self._admit()
        self._settle()

    @precondition(lambda self: self._expected_inside)
    @rule(data=st.data(), cancel=st.booleans())
    def leave(self, data: st.DataObject, *, cancel: bool) -> None:
        number = data.draw(st.sampled_from(sorted(self._expected_inside)))
        if cancel:
            self._tasks[number].cancel()
        else:
            self._leave[number].set()
        self._expected_inside.discard(number)
        self._admit()
        self._settle()

    @precondition(lambda self: self._expected_waiting)
    @rule(data=st.data())
    def give_up(self, data: st.DataObject) -> None:
        number = data.draw(st.sampled_from(sorted(self._expected_waiting)))
        self._tasks[number].cancel()
        self._expected_waiting.remove(number)
        self._settle()

    @precondition(lambda self: self._expected_inside and self._expected_waiting)
    @rule(data=st.data())
    def give_up_in_the_moment_of_admission(self, data: st.DataObject) -> None:
        leaving = data.draw(st.sampled_from(sorted(self._expected_inside)))
        admitted = self._expected_waiting[0]
        self._leave[leaving].set()

        async def race() -> None:
            for _ in range(data.draw(st.integers(0, 3))):
                await asyncio.sleep(0)
            self._tasks[admitted].cancel()

        self._loop.run(race())
        self._expected_inside.discard(leaving)
        self._expected_waiting.popleft()
        self._admit()
        self._settle()

    @invariant()
    def the_line_is_kept(self) -> None:
        assert set(self._inside) == self._expected_inside
        assert len(self._inside) <= self._size
        assert len(self._slots._free) == self._size - len(self._inside)
        assert self._pending() == len(self._expected_waiting)

    def _pending(self) -> int:
        return sum(not place.done() for place in self._slots._waiting)

    @override
    def teardown(self) -> None:
        async def end() -> None:
            for task in self._tasks.values():
                task.cancel()
            if self._tasks:
                await asyncio.wait(self._tasks.values())

        self._loop.run(end())
        self._loop.close()
        assert self._pending() == 0


def test_semaphore_resource_control() -> None:
    """R-12 Semaphore Resource Control: a slot goes to the first in line, and none is lost."""
    run_state_machine_as_test(Line, settings=settings(stateful_step_count=30))
