"""The owner's handle on one command: give the order, kill, and hear the outcome."""

import asyncio
import signal
import socket
from typing import Literal

import msgspec

from pm_orchestrator.adapters.processes.last_reaper import LAST_REAPER
from pm_orchestrator.adapters.processes.process_tree import send_signal
from pm_orchestrator.adapters.processes.zygote_owner import ZygoteOwner
from pm_orchestrator.domain.cancelling import undisturbed
from pm_orchestrator.domain.errors import PmError

WAKE_S = 1.0
"""How long a helper may be silent before it is woken, in case somebody has stopped it."""
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


class NeverStartedError(PmError):
    """Whoever was asked to start it died over the request, which can be made again."""

    def __init__(self, program: str) -> None:
        super().__init__("process_lost", program=program, reason="the zygote was killed")


class Supervised:
    """One command, under a supervisor of its own or, if it is trusted, under the zygote."""

    def __init__(self, zygotes: ZygoteOwner, control: socket.socket, program: str) -> None:
        # An owner that nobody holds ends its zygote; a running command needs it.
        self._zygotes = zygotes
        self._control = control
        self._program = program
        self._received = b""
        self._silent = False
        self._news = asyncio.Event()
        self._supervisor: int | None = None
        self._started: Started | None = None
        self._last: Failed | Ended | Lost | None = None
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(control, self._read)

    async def give(self, order: bytes) -> None:
        """Start the program."""
        await self._loop.sock_sendall(self._control, order)

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
        try:
            self._control.send(b"k")
        except OSError:
            return  # nobody listens any more; what was reported last is still to be read

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
        """Hear no more; the control socket is closed after this, which kills what still runs."""
        self._loop.remove_reader(self._control)
        self._forget_supervisor()

    def _forget_supervisor(self) -> None:
        if self._supervisor is not None:
            LAST_REAPER.helpers.discard(self._supervisor)

    def _kill_supervisor(self) -> None:
        """The zygote ends what it leaves, and reports in its place."""
        if self._supervisor is not None:
            send_signal(self._supervisor, signal.SIGKILL)
        elif self._started is not None:
            # A trusted program has no supervisor: the zygote has been stopped or killed.
            send_signal(-self._started.pid, signal.SIGKILL)

    def _read(self) -> None:
        try:
            data = self._control.recv(65536)
        except BlockingIOError:
            return
        except ConnectionResetError:
            data = b""
        if not data:
            self._loop.remove_reader(self._control)
            self._silent = True
        self._received += data
        self._news.set()

    async def _hear(self) -> None:
        while b"\n" not in self._received:
            if self._silent:
                if self._supervisor is None:
                    self._kill_supervisor()
                self._forget_supervisor()
                LAST_REAPER.end_strays()
                if self._supervisor is None and self._started is None:
                    raise NeverStartedError(self._program)
                raise self._lost("its supervisor and the zygote were killed")
            self._news.clear()
            await self._news_or_wake()
        line, _, self._received = self._received.partition(b"\n")
        report = _decoder.decode(line)
        if isinstance(report, Ready):
            self._supervisor = report.supervisor
            LAST_REAPER.helpers.add(report.supervisor)
        elif isinstance(report, Started):
            self._started = report
        else:
            self._last = report

    async def _news_or_wake(self) -> None:
        """Wait; helpers that were stopped meanwhile are made to go on."""
        while not self._news.is_set():
            try:
                async with asyncio.timeout(WAKE_S):
                    await self._news.wait()
            except TimeoutError:
                self._zygotes.wake()
                if self._supervisor is not None:
                    send_signal(self._supervisor, signal.SIGCONT)

    def _lost(self, reason: str) -> PmError:
        return PmError("process_lost", program=self._program, reason=reason)
