"""The worker's side of the bus: take an assignment, do it, reply, then acknowledge.

In that order, so that nothing is lost whenever the worker dies: a message whose
reply was sent is only acknowledged when it comes again, any other is done again.
"""

from collections.abc import Awaitable, Callable
from typing import Any

from pm_orchestrator.dispatch.replies import failure_payload, in_reply, reply_id
from pm_orchestrator.domain.company.agent import AgentMessage, MessageType
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.ids import iso
from pm_orchestrator.domain.record import to_json
from pm_orchestrator.ports.clock import Clock
from pm_orchestrator.ports.message_queue import Delivery, MessageQueue

Handle = Callable[[AgentMessage], Awaitable[dict[str, Any]]]

CLAIM_WAIT_S = 1.0


async def serve(
    queue: MessageQueue,
    worker: str,
    handle: Handle,
    clock: Clock,
    *,
    visibility_s: float,
) -> None:
    """Work for `worker` until cancelled; the only one to do so under this name.

    `visibility_s` must be longer than any assignment takes: claims are not
    renewed. What a dead predecessor of the same name left claimed is taken
    over at once.
    """
    await queue.release(worker)
    while True:
        delivery = await queue.claim(worker, visibility_s=visibility_s, wait_s=CLAIM_WAIT_S)
        if delivery is None:
            continue
        if not await _was_answered(queue, delivery):
            await queue.send(await _reply(worker, handle, delivery.message, clock))
        await queue.acknowledge(delivery)


async def _was_answered(queue: MessageQueue, delivery: Delivery) -> bool:
    if delivery.attempt == 1:
        return False
    mine = reply_id(delivery.message.id)
    return any(sent.id == mine for sent in await queue.history(delivery.message.run_id))


async def _reply(worker: str, handle: Handle, message: AgentMessage, clock: Clock) -> AgentMessage:
    kind: MessageType = "task_complete"
    try:
        payload = await handle(message)
        # What cannot be written is found here, where it can still become a failure.
        to_json(payload)
    except PmError as error:
        kind, payload = "task_failed", failure_payload(error)
    # The boundary of a worker's slot: a fault in its code is told, and the slot goes on.
    except Exception as error:  # noqa: BLE001
        crash = PmError("step_crashed", kind=type(error).__name__, reason=error)
        kind, payload = "task_failed", failure_payload(crash)
    return AgentMessage(
        id=reply_id(message.id),
        run_id=message.run_id,
        type=kind,
        sender=worker,
        recipient=message.sender,
        payload=in_reply(message, payload),
        timestamp=iso(clock.now()),
    )
