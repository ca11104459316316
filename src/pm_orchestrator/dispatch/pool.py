"""Handing work to workers over the bus, never to more than the limit at a time.

The pool is the manager's side: it assigns, and one reader collects the replies.
A reply that was read before a crash is found in the bus's history, so assigning
the same work again returns it instead of waiting for a second one.
"""

import asyncio
import logging
from itertools import count
from types import TracebackType
from typing import Any, Self

from pm_orchestrator.dispatch.replies import answered_by, assignment_id, is_outage
from pm_orchestrator.dispatch.slots import Slots
from pm_orchestrator.domain.company.agent import AgentMessage
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.ids import iso
from pm_orchestrator.ports.clock import Clock
from pm_orchestrator.ports.message_queue import MessageQueue

MANAGER = "manager"
MOST_WORKERS = 4
REPLY_VISIBILITY_S = 30.0
READER_WAIT_S = 1.0

log = logging.getLogger(__name__)


class WorkerPool:
    """Workers `worker-1` to `worker-<size>` of one run; used as a context manager."""

    def __init__(self, queue: MessageQueue, clock: Clock, size: int, run_id: str) -> None:
        """Make a pool.

        Raises:
            PmError: E404 unless 1 ≤ `size` ≤ 4.
        """
        if not 1 <= size <= MOST_WORKERS:
            raise PmError("semaphore_limit", actual=size, allowed=f"1–{MOST_WORKERS}")
        self._queue = queue
        self._clock = clock
        self._run_id = run_id
        self._size = size
        self._slots = Slots(self.workers)
        self._replies: dict[str, asyncio.Future[AgentMessage]] = {}
        self._reader: asyncio.Task[None] | None = None

    @property
    def workers(self) -> tuple[str, ...]:
        return tuple(f"worker-{number}" for number in range(1, self._size + 1))

    async def assign(self, payload: dict[str, Any], *, key: str) -> AgentMessage:
        """Have a worker do `payload`; its `task_complete` or `task_failed` message.

        `key` names the work in its run: the same key is the same assignment,
        and is answered once; an outage is no answer, so after one the work is
        assigned again. Waits for a free worker, first come, first served.
        The wait for the reply has no deadline of its own; cancel it to give up.
        """
        reader = self._reader
        if reader is None:
            raise RuntimeError("the pool is not open")
        assignment = self._open_assignment(key)
        reply = self._reply_to(assignment)
        if reply.done():
            return reply.result()
        async with self._slots.one() as worker:
            await self._queue.send(
                AgentMessage(
                    id=assignment,
                    run_id=self._run_id,
                    type="task_assign",
                    sender=MANAGER,
                    recipient=worker,
                    payload=payload,
                    timestamp=iso(self._clock.now()),
                )
            )
            await asyncio.wait({reply, reader}, return_when=asyncio.FIRST_COMPLETED)
            if not reply.done():
                # Without its reader no reply ever comes; whatever ended it is told here.
                reader.result()
            return reply.result()

    async def __aenter__(self) -> Self:
        for message in await self._queue.history(self._run_id):
            self._take_in(message)
        self._reader = asyncio.create_task(self._read(), name="replies to the manager")
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        reader, self._reader = self._reader, None
        if reader is None:
            return
        reader.cancel()
        await asyncio.wait({reader})
        if error is None and not reader.cancelled():
            reader.result()

    def _open_assignment(self, key: str) -> str:
        """The id under which the work `key` is done, or was done without an outage."""
        names = (key if n == 0 else f"{key}/again/{n}" for n in count())
        assignments = (assignment_id(self._run_id, name) for name in names)
        return next(a for a in assignments if not self._met_outage(a))

    def _met_outage(self, assignment: str) -> bool:
        reply = self._replies.get(assignment)
        return reply is not None and reply.done() and is_outage(reply.result())

    def _reply_to(self, assignment: str) -> "asyncio.Future[AgentMessage]":
        reply = self._replies.get(assignment)
        if reply is None:
            reply = self._replies[assignment] = asyncio.get_running_loop().create_future()
        return reply

    async def _read(self) -> None:
        while True:
            delivery = await self._queue.claim(
                MANAGER, visibility_s=REPLY_VISIBILITY_S, wait_s=READER_WAIT_S
            )
            if delivery is None:
                continue
            if self._take_in(delivery.message):
                await self._queue.acknowledge(delivery)
            else:
                # Not ours to drop: it comes again for whoever knows what to do with it.
                log.warning("no use for message %s on the bus", delivery.message.id)

    def _take_in(self, message: AgentMessage) -> bool:
        answered = answered_by(message)
        if answered is None or message.run_id != self._run_id:
            return False
        reply = self._reply_to(answered)
        if not reply.done():
            reply.set_result(message)
        return True
