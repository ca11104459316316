"""The Runner as the last one behind its helpers: what a killed zygote leaves comes to us.

A supervisor ends what its command left, and the zygote what a killed supervisor left. Where
both are gone, orphans would go on under nobody's eyes, in a directory that is being judged.
"""

import os
import signal
import time
from contextlib import suppress

from pm_orchestrator.adapters.processes.process_tree import (
    children_of,
    own_descendants,
    send_signal,
)

EXITING = 0x4
"""The kernel's mark of a process that has begun to end (`PF_EXITING`)."""
FLAGS = 5
"""Where that mark stands in `/proc/<pid>/stat`, counted behind the state."""
PATIENCE_S = 2.0
LOOK_S = 0.005


class LastReaper:
    """Knows the children of this process that are meant to be, and ends the others."""

    def __init__(self) -> None:
        self._owns = False
        self._others: frozenset[int] = frozenset()
        self.helpers: set[int] = set()
        """Zygotes, and supervisors that still answer for a command."""

    def stand_behind(self) -> None:
        """A command that may fight its end is about to start; who is there now is none of it."""
        if not self._owns:
            self._owns = True
            # Where the kernel does not allow it, what is behind us takes the orphans.
            with suppress(OSError):
                own_descendants()
        self._others = frozenset(children_of(os.getpid()))

    def end_strays(self) -> None:
        """End what has come to us since, with all that comes after it."""
        until = time.monotonic() + PATIENCE_S
        while time.monotonic() < until:
            # In this order: what comes to us between the two looks is seen by the second.
            coming, strays = self._more_may_come(), self._strays()
            if not coming and not strays:
                return
            for pid in strays:
                send_signal(pid, signal.SIGKILL)
            time.sleep(LOOK_S)
            for pid in strays:
                with suppress(ChildProcessError):
                    os.waitpid(pid, os.WNOHANG)

    def _more_may_come(self) -> bool:
        """Whether a helper is still ending: its files are closed before its orphans come to us."""
        return any(is_ending(pid) for pid in children_of(os.getpid()) if pid in self.helpers)

    def _strays(self) -> list[int]:
        meant = self._others | self.helpers
        return [pid for pid in children_of(os.getpid()) if pid not in meant]


def is_ending(pid: int) -> bool:
    """Whether a process has begun to end and still has what belongs to it."""
    try:
        fd = os.open(f"/proc/{pid}/stat", os.O_RDONLY)
    except OSError:
        return False
    try:
        # Behind its name, which may hold anything: state, five numbers, and its flags.
        state, *fields = os.read(fd, 4096).rpartition(b")")[2].split()
    except (OSError, ValueError):
        return False
    finally:
        os.close(fd)
    return state not in {b"Z", b"X"} and len(fields) > FLAGS and bool(int(fields[FLAGS]) & EXITING)


LAST_REAPER = LastReaper()
"""A process has one set of children."""
