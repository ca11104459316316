"""Trusted programs: children of the zygote itself, with no supervisor between.

A supervisor catches a program that flees or fights; it costs two forks of an
interpreter, which is more than git takes for most answers. For programs that do
neither, the zygote keeps the deadlines and makes the kills itself. Each leads a
session and a process group of its own, which end with it. Whoever has left them
becomes a child of the zygote as an orphan, and is killed as a stray.

Standard library only: this text also runs inside sandboxes.
"""

from __future__ import annotations

import errno
import math
import os
import signal
import time

from pm_orchestrator.adapters.processes.process_tree import send_signal
from pm_orchestrator.adapters.processes.program_start import (
    IGNORED_BY_PYTHON,
    Order,
    first_that_starts,
)
from pm_orchestrator.adapters.processes.supervisor import SLAY_S, report

LOOK_S = 0.002
"""Between two looks at whether those who were killed are gone."""


class TrustedProgram:
    """One program, from its order to its last report."""

    def __init__(self, control: int, stdio: tuple[int, ...]) -> None:
        self.control = control
        self._stdio = stdio
        self._received = b""
        self._begun = self._grace_s = self._linger_s = self._linger_until = 0.0
        self._timed_out = False
        self._ended_with: str | None = None
        self._swept_at: float | None = None
        self.pid: int | None = None
        self.status: int | None = None
        """How the program itself has ended."""
        self.asked = False
        """Whether the owner wants its end."""
        self.due = math.inf
        """When to look again if nothing happens before: its deadline, the end of its grace."""
        self.over = False

    def hear(self) -> None:
        """Take what the owner says: the order, and then only that it shall end.

        The owner's death says the same; after that there is nothing more to hear.
        """
        try:
            part = os.read(self.control, 65536)
        except ConnectionResetError:
            part = b""
        if self.pid is not None or not part:
            self.asked = True
            self.over = self.pid is None
            return
        self._received += part
        line, complete, more = self._received.partition(b"\n")
        if complete:
            self.asked = bool(more)
            self._start(Order(line))

    def ended(self, status: int) -> None:
        """The program itself has ended."""
        self.status = status
        self._linger_until = time.monotonic() + (0 if self._ended_with else self._linger_s)

    def look(self, now: float, strays: bool) -> None:
        """Do what is due; `strays` says that some are not gone yet."""
        if self.pid is None or self.over:
            return
        if self.status is not None:
            self._sweep(self.pid, self.status, now, strays)
        elif self._ended_with is None and (self.asked or now >= self.due):
            self._timed_out = not self.asked
            self._ended_with = "SIGTERM"
            self.due = now + self._grace_s
            send_signal(-self.pid, signal.SIGTERM)
            # A stopped process sees SIGTERM only after it is continued.
            send_signal(-self.pid, signal.SIGCONT)
        elif self._ended_with is not None and now >= self.due:
            self._ended_with = "SIGKILL"
            self.due = math.inf
            send_signal(-self.pid, signal.SIGKILL)

    def close(self) -> None:
        for fd in (self.control, *self._stdio):
            os.close(fd)

    def _start(self, order: Order) -> None:
        self._begun = time.monotonic()
        self._grace_s, self._linger_s = order.kill_grace_s, order.linger_s
        self.due = self._begun + order.timeout_s
        try:
            self.pid = spawn(order, self._stdio)
        except (OSError, ValueError) as error:
            report(self.control, event="failed", reason=str(error))
            self.over = True
            return
        for fd in self._stdio:
            os.close(fd)
        self._stdio = ()
        # An owner whose zygote is killed has to end the program by itself.
        report(self.control, event="started", pid=self.pid)

    def _sweep(self, group: int, status: int, now: float, strays: bool) -> None:
        """The program has ended: what is left of its group gets a moment, then goes."""
        left = strays or somebody_in(group)
        if left and not strays and now < self._linger_until:
            self.due = self._linger_until
            return
        if left:
            self._swept_at = self._swept_at or now
            send_signal(-group, signal.SIGKILL)
            self.due = now + LOOK_S
            if now < self._swept_at + SLAY_S:
                return
        report(
            self.control,
            event="ended",
            exit_code=None if self._ended_with else os.waitstatus_to_exitcode(status),
            timed_out=self._timed_out,
            ended_with=self._ended_with,
            swept_at=self._swept_at,
            left=left,
            duration_ms=round((now - self._begun) * 1000),
        )
        self.over = True


def somebody_in(group: int) -> bool:
    """Whether anybody is left of a process group."""
    try:
        os.kill(-group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def spawn(order: Order, stdio: tuple[int, ...]) -> int:
    """Start the program in a session of its own, without a copy of this process.

    Raises:
        OSError: it cannot be started; the text says what was missing.
        ValueError: an argument that no program can be given.
    """
    doing = f"working directory {order.cwd}"
    stdio_actions = [(os.POSIX_SPAWN_DUP2, fd, number) for number, fd in enumerate(stdio)]

    def attempt(place: str) -> int:
        # A look costs a hundredth of a start that fails.
        if not os.access(place, os.F_OK):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        return os.posix_spawn(
            place,
            order.argv,
            order.env,
            file_actions=stdio_actions,
            setsid=True,
            setsigdef=IGNORED_BY_PYTHON,
        )

    try:
        os.chdir(order.cwd)
        doing = order.argv[0]
        return first_that_starts(order, attempt)
    except OSError as error:
        raise OSError(f"{doing}: {error.strerror}") from error
    except ValueError as error:
        raise ValueError(f"{doing}: {error}") from error
    finally:
        # No directory is held by a process that only waits.
        os.chdir("/")
