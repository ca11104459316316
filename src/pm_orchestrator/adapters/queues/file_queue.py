"""The default bus: maildir-style directories on one machine, safe between processes.

A claim is one atomic rename, so of several claimers exactly one gets a message.
The new name carries the attempt, the deadline and a token; whoever finds the
deadline past renames it again, and the late claimer's receipt names a file that
is no longer there.
"""

import asyncio
import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from typing_extensions import override

from pm_orchestrator.adapters.queues.outbox import (
    Box,
    Envelope,
    Outbox,
    history_folder,
    message_names,
    read_envelope,
)
from pm_orchestrator.domain.company.agent import AgentMessage
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.ports.adapter import AdapterSite
from pm_orchestrator.ports.clock import Clock, IdSource
from pm_orchestrator.ports.message_queue import Delivery, MessageQueue, QueueFactory

READY = re.compile(r"(\d{12,})")
CLAIMED = re.compile(r"(\d{12,})\.(\d+)\.(\d+)\.[0-9a-f]+")
FIRST_PAUSE_S = 0.005
LONGEST_PAUSE_S = 0.05


class _Visible(NamedTuple):
    """A message that may be claimed, and the number that the claim will have."""

    path: Path
    sequence: str
    attempt: int


class FileQueue(MessageQueue):
    """Messages below `root`, which is made when it is needed."""

    def __init__(self, root: Path, clock: Clock, ids: IdSource) -> None:
        self._root = root
        self._clock = clock
        self._ids = ids
        self._outbox = Outbox(root)

    @override
    async def send(self, message: AgentMessage) -> None:
        await asyncio.to_thread(self._outbox.post, message)

    @override
    async def claim(
        self, recipient: str, *, visibility_s: float, wait_s: float = 0.0
    ) -> Delivery | None:
        box = Box(self._root, recipient)
        until = self._clock.monotonic() + wait_s
        pause = FIRST_PAUSE_S
        while True:
            # Not in a thread: a cancelled wait for a thread would lose what it claimed.
            delivery = self._claim_now(box, visibility_s)
            left = until - self._clock.monotonic()
            if delivery is not None or left <= 0:
                return delivery
            await self._clock.sleep(max(min(pause, left), 0.001))
            pause = min(pause * 1.5, LONGEST_PAUSE_S)

    @override
    async def acknowledge(self, delivery: Delivery) -> bool:
        box = Box(self._root, delivery.message.recipient)
        if CLAIMED.fullmatch(delivery.receipt) is None:
            return False
        try:
            (box.claimed / delivery.receipt).rename(box.done / delivery.receipt)
        except FileNotFoundError:
            # Acknowledged before, by this very claim; or taken over by another.
            return (box.done / delivery.receipt).exists()
        return True

    @override
    async def release(self, recipient: str) -> int:
        box = Box(self._root, recipient)
        released = 0
        for match in map(CLAIMED.fullmatch, message_names(box.claimed)):
            if match is None or int(match[3]) == 0:
                continue
            expired = f"{match[1]}.{match[2]}.0.{self._ids.token()}"
            try:
                (box.claimed / match[0]).rename(box.claimed / expired)
            except FileNotFoundError:
                # Its holder was alive after all and has acknowledged it just now.
                continue
            released += 1
        return released

    @override
    async def history(self, run_id: str) -> tuple[AgentMessage, ...]:
        return await asyncio.to_thread(self._read_history, history_folder(self._root, run_id))

    def _claim_now(self, box: Box, visibility_s: float) -> Delivery | None:
        deadline = _millis(self._clock.now() + timedelta(seconds=visibility_s))
        for path, sequence, attempt in self._visible(box):
            receipt = f"{sequence}.{attempt}.{deadline}.{self._ids.token()}"
            claimed = box.claimed / receipt
            try:
                path.rename(claimed)
                envelope = read_envelope(self._root, claimed)
            except FileNotFoundError:
                # Another claimer was faster; that is how they are meant to share.
                continue
            except OSError as error:
                raise PmError("disk", path=claimed, reason=error.strerror) from error
            if envelope is not None:
                return Delivery(message=envelope.message, receipt=receipt, attempt=attempt)
        return None

    def _visible(self, box: Box) -> Iterator[_Visible]:
        """What may be claimed now, oldest first: expired claims are older than what is ready."""
        now = _millis(self._clock.now())
        expired = [
            m for m in map(CLAIMED.fullmatch, message_names(box.claimed)) if m and int(m[3]) <= now
        ]
        for match in sorted(expired, key=lambda match: match[1]):
            yield _Visible(box.claimed / match[0], match[1], int(match[2]) + 1)
        for name in sorted(filter(READY.fullmatch, message_names(box.ready))):
            yield _Visible(box.ready / name, name, 1)

    def _read_history(self, folder: Path) -> tuple[AgentMessage, ...]:
        found: list[Envelope] = []
        for name in message_names(folder):
            try:
                envelope = read_envelope(self._root, folder / name)
            except FileNotFoundError:
                # Damaged, and put aside by another reader in this very moment.
                continue
            if envelope is not None:
                found.append(envelope)
        return tuple(e.message for e in sorted(found, key=lambda e: e.sequence))


class FileQueues(QueueFactory):
    """The bus of a run is a directory in the run's own."""

    @override
    def open(self, site: AdapterSite) -> MessageQueue:
        return FileQueue(site.directory / "bus", site.clock, site.ids)


def _millis(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)
