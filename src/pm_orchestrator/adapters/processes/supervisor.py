"""One supervisor per command: the process that owns everything the command starts.

A signal to a process group misses whoever called setsid, and an environment tag
misses `env -i`. A child subreaper misses nobody: an orphan of any generation
becomes its child, so "no children left" means "nothing left". One subreaper per
command keeps commands that run side by side from killing each other's children.
The owner holds the other end of `control`; when it dies, the tree dies with it.

Standard library only: this text also runs inside sandboxes.
"""

from __future__ import annotations

import math
import os
import resource
import select
import signal
import time

from pm_orchestrator.adapters.plain_json import dumps
from pm_orchestrator.adapters.processes.process_tree import (
    own_descendants,
    signal_tree,
    watch_children,
)
from pm_orchestrator.adapters.processes.program_start import (
    Order,
    OwnerGoneError,
    start,
    take_order,
)

SLAY_S = 5.0
"""How long SIGKILL is repeated before what survives it is reported as left."""


def report(control: int, **fields: object) -> None:
    """Tell the owner; an owner that is gone has nothing to be told."""
    line = dumps(fields).encode() + b"\n"
    try:
        os.write(control, line)
    except (BrokenPipeError, ConnectionResetError):
        return


class Watch:
    """Sees one command to its end, whichever way that comes."""

    def __init__(self, control: int, main: int, order: Order, children: int) -> None:
        self._control = control
        self._main = main
        self._order = order
        self._children = children
        self._poll = select.poll()
        self._poll.register(control, select.POLLIN)
        self._poll.register(children, select.POLLIN)
        self._status: int | None = None
        self._killed = False
        self._timed_out = False
        self._swept_at: float | None = None
        self._ended_with: str | None = None
        self.asked = False

    def until_ended(self) -> None:
        """Return when neither the command nor anything it started is alive."""
        deadline = time.monotonic() + self._order.timeout_s
        while self._reap() and self._status is None:
            if self.asked or time.monotonic() >= deadline:
                self._killed = True
                self._timed_out = not self.asked
                self._terminate()
                return
            self._wait(deadline)
        self._sweep()

    def outcome(self, begun: float) -> dict[str, object]:
        code = None if self._killed or self._status is None else self._status
        return {
            "event": "ended",
            "exit_code": None if code is None else os.waitstatus_to_exitcode(code),
            "timed_out": self._timed_out,
            "ended_with": self._ended_with,
            "swept_at": self._swept_at,
            "left": self._reap(),
            "duration_ms": round((time.monotonic() - begun) * 1000),
            "peak_kb": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss,
        }

    def _sweep(self) -> None:
        """The command has ended: what it left behind gets a moment, then goes."""
        until = time.monotonic() + self._order.linger_s
        while self._reap():
            if self.asked or time.monotonic() >= until:
                self._swept_at = time.monotonic()
                self._slay()
                return
            self._wait(until)

    def _terminate(self) -> None:
        signal_tree(os.getpid(), self._main, signal.SIGTERM)
        # A stopped process sees SIGTERM only after it is continued.
        signal_tree(os.getpid(), self._main, signal.SIGCONT)
        until = time.monotonic() + self._order.kill_grace_s
        while self._reap() and time.monotonic() < until:
            self._wait(until)
        self._ended_with = "SIGKILL" if self._reap() else "SIGTERM"
        self._slay()

    def _slay(self) -> None:
        until = time.monotonic() + SLAY_S
        while self._reap() and time.monotonic() < until:
            signal_tree(os.getpid(), self._main, signal.SIGKILL)
            self._wait(min(until, time.monotonic() + 0.002))

    def _reap(self) -> bool:
        """Collect the dead; say whether anybody is left."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if pid == 0:
                return True
            if pid == self._main:
                self._status = status

    def _wait(self, until: float) -> None:
        """Sleep until a child ends, the owner speaks (or dies), or the time comes."""
        left = until - time.monotonic()
        for fd, _ in self._poll.poll(None if math.isinf(left) else max(0, math.ceil(left * 1000))):
            if fd == self._children:
                os.read(self._children, 4096)
            else:
                self.asked = True
                self._poll.unregister(self._control)


def supervise(control: int, stdio: tuple[int, int, int]) -> None:
    """Run one command from its order to its last report."""
    try:
        order, asked = take_order(control)
    except OwnerGoneError:
        return
    own_descendants()
    children = watch_children()
    begun = time.monotonic()
    # Said before the program exists, which could stop this process at once.
    report(control, event="ready", supervisor=os.getpid())
    try:
        main = start(order, stdio)
    except OSError as error:
        report(control, event="failed", reason=str(error))
        return
    for fd in stdio:
        os.close(fd)
    report(control, event="started", pid=main)
    watch = Watch(control, main, order, children)
    watch.asked = asked
    watch.until_ended()
    report(control, **watch.outcome(begun))
