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
        while (strays := self._strays()) and time.monotonic() < until:
            for pid in strays:
                send_signal(pid, signal.SIGKILL)
            time.sleep(LOOK_S)
            for pid in strays:
                with suppress(ChildProcessError):
                    os.waitpid(pid, os.WNOHANG)

    def _strays(self) -> list[int]:
        meant = self._others | self.helpers
        return [pid for pid in children_of(os.getpid()) if pid not in meant]


LAST_REAPER = LastReaper()
"""A process has one set of children."""
