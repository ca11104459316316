"""The owner's handle on one supervisor: give the order, kill, and hear the outcome."""

import asyncio
import os
import signal
import socket
from typing import Literal

import msgspec

from pm_orchestrator.adapters.processes.nursery import Nursery
from pm_orchestrator.domain.cancelling import undisturbed
from pm_orchestrator.domain.errors import PmError

WATCHDOG_SLACK_S = 15.0
"""Beyond every patience of a supervisor; one that is silent longer was stopped by its command."""


class Ready(msgspec.Struct, frozen=True, tag_field="event", tag="ready"):
    """The supervisor has its order."""

    supervisor: int


class Started(msgspec.Struct, frozen=True, tag_field="event", tag="started"):
    """The program runs."""

    pid: int


class Failed(msgspec.Struct, frozen=True, tag_field="event", tag="failed"):
    """The program could not be started."""

    reason: str


class Ended(msgspec.Struct, frozen=True, tag_field="event", tag="ended"):
    """The program and all it started are gone."""

    exit_code: int | None
    timed_out: bool
    swept_at: float | None
    """When leftovers had to be killed after the program had ended; monotonic seconds."""
    left: bool
    """Something survived even SIGKILL, because it is not ours to kill."""
    duration_ms: int
    ended_with: Literal["SIGTERM", "SIGKILL"] | None = None


class Lost(msgspec.Struct, frozen=True, tag_field="event", tag="lost"):
    """The supervisor was killed; the zygote has ended what it left."""


_Report = Ready | Started | Failed | Ended | Lost
_decoder: msgspec.json.Decoder[_Report] = msgspec.json.Decoder(_Report)


class Supervised:
    """One command under supervision."""

    def __init__(
        self,
        program: str,
        nursery: Nursery,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        # A nursery that nobody holds ends its zygote; a running command needs it.
        self._nursery = nursery
        self._program = program
        self._reader = reader
        self._writer = writer
        self._supervisor: int | None = None
        self._started: Started | None = None
        self._last: Failed | Ended | Lost | None = None

    @classmethod
    async def connect(
        cls, nursery: Nursery, control: socket.socket, program: str, order: bytes
    ) -> "Supervised":
        """Give the order to a supervisor that has just been started."""
        reader, writer = await asyncio.open_unix_connection(sock=control)
        writer.write(order)
        return cls(program, nursery, reader, writer)

    @property
    def pid(self) -> int | None:
        """The program's process id, once its start was heard of."""
        return None if self._started is None else self._started.pid

    async def started(self) -> int:
        """The process id of the program.

        Raises:
            PmError: E901 when it cannot be started.
        """
        while self._started is None and self._last is None:
            await self._hear()
        if self._started is None:
            await self.ended()
            raise self._lost("its supervisor was killed")
        return self._started.pid

    async def ended(self) -> Ended | Lost:
        """Wait until nothing of the command is alive.

        Raises:
            PmError: E901 when it could not be started, E903 when something survived.
        """
        while self._last is None:
            await self._hear()
        last = self._last
        if isinstance(last, Failed):
            raise PmError("program_not_started", program=self._program, reason=last.reason)
        if isinstance(last, Ended) and last.left:
            raise self._lost("a child survived SIGKILL")
        return last

    def kill(self) -> None:
        """Ask for the end of the whole tree; `ended` tells when it has come."""
        self._writer.write(b"k")

    async def ended_within(
        self, patience_s: float, slack_s: float = WATCHDOG_SLACK_S
    ) -> Ended | Lost:
        """Like `ended`, but a supervisor that its own command has stopped is killed."""
        try:
            async with asyncio.timeout(patience_s + slack_s):
                return await self.ended()
        except TimeoutError:
            self._kill_supervisor()
        try:
            async with asyncio.timeout(WATCHDOG_SLACK_S):
                return await self.ended()
        except TimeoutError:
            raise self._lost("nobody answers for it") from None

    async def put_down(self, patience_s: float) -> None:
        """Kill the tree and return when it is gone, whatever cancellations arrive meanwhile."""
        self.kill()
        try:
            await undisturbed(self.ended_within(patience_s))
        except PmError:
            return  # it never started, or is not ours to kill; the cancellation says enough

    def close(self) -> None:
        """Drop the control socket; a command that still runs is killed by that."""
        self._writer.transport.abort()

    def _kill_supervisor(self) -> None:
        """The zygote ends what it leaves, and reports in its place."""
        if self._supervisor is not None:
            try:
                os.kill(self._supervisor, signal.SIGKILL)
            except ProcessLookupError:
                return  # it has just gone; its last report is on its way

    async def _hear(self) -> None:
        try:
            line = await self._reader.readline()
        except ConnectionResetError:
            line = b""
        if not line:
            raise self._lost("its supervisor and the zygote were killed")
        report = _decoder.decode(line)
        if isinstance(report, Ready):
            self._supervisor = report.supervisor
        elif isinstance(report, Started):
            self._started = report
        else:
            self._last = report

    def _lost(self, reason: str) -> PmError:
        return PmError("process_lost", program=self._program, reason=reason)
