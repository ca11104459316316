"""A process on the bus: `bus_process.py send ROOT NAME COUNT` or `bus_process.py claim ROOT`.

A claimer prints each id that it has acknowledged, and ends when nothing has come for a while.
"""

import asyncio
import sys
from pathlib import Path

from pm_orchestrator.adapters.queues.file_queue import FileQueue
from pm_orchestrator.adapters.system_clock import RandomIds, SystemClock
from pm_orchestrator.domain.company.agent import AgentMessage

VISIBILITY_S = 1.0
IDLE_S = 2.5


async def send(queue: FileQueue, name: str, count: int) -> None:
    for number in range(count):
        await queue.send(
            AgentMessage(
                id=f"{name}-{number}",
                run_id="run_001",
                type="task_assign",
                sender=name,
                recipient="worker-1",
                payload={"number": number},
                timestamp="",
            )
        )


async def claim(queue: FileQueue) -> None:
    while delivery := await queue.claim("worker-1", visibility_s=VISIBILITY_S, wait_s=IDLE_S):
        await asyncio.sleep(0.002)
        if await queue.acknowledge(delivery):
            sys.stdout.write(f"{delivery.message.id}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    bus = FileQueue(Path(sys.argv[2]), SystemClock(), RandomIds())
    if sys.argv[1] == "send":
        asyncio.run(send(bus, sys.argv[3], int(sys.argv[4])))
    else:
        asyncio.run(claim(bus))
