"""Bounds what all processes of a sandbox take together, more exactly than a control group does.

It looks several times a second, so it is later than the kernel would be; a limit of each process
alone stands behind it. What had to be ended is counted: a command that failed then has failed
for want of memory, which is no word about its work.

Standard library only: this text runs inside the sandbox.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable

LOOK_S = 0.2
AGAIN_S = 0.01
"""After something was ended: it may take a moment to go, and others may go on taking."""
KILOBYTE = 1024


class SeenProcess:
    """One process as it is now."""

    def __init__(self, pid: int, status: str) -> None:
        fields = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
        self.pid = pid
        self.parent = int(fields["PPid"])
        self.is_dead = fields["State"].split()[0] in "ZX"
        # Files in memory have a limit of their own.
        self.memory = int(fields.get("RssAnon", "0 kB").split()[0]) * KILOBYTE


class ToolWatch:
    """Ends the largest process while there is too little memory, and the latest of too many."""

    def __init__(self, memory: int, processes: int, helpers: Callable[[], int]) -> None:
        """`helpers` is the process whose children, and nobody else, run commands; 0 is no limit."""
        self._memory = memory
        self._processes = processes
        self._helpers = helpers
        self.starved = 0
        """How many processes have been ended for want of memory."""

    def start(self) -> None:
        """Look until the sandbox ends."""
        threading.Thread(target=self._look_for_ever, daemon=True).start()

    def is_too_much(self, peak_kb: object) -> bool:
        """Whether one process that took this much alone had more than all may have."""
        return bool(self._memory) and int(str(peak_kb)) * KILOBYTE > self._memory

    def look(self) -> bool:
        """Once; whether something had to be ended."""
        theirs = [each for each in _all() if not self._is_ours(each) and not each.is_dead]
        if self._memory and sum(each.memory for each in theirs) > self._memory:
            self.starved += 1
            _end(max(theirs, key=lambda each: each.memory))
            return True
        if self._processes and len(theirs) > self._processes:
            for each in sorted(theirs, key=lambda one: one.pid)[self._processes :]:
                _end(each)
            return True
        return False

    def _look_for_ever(self) -> None:
        while True:
            time.sleep(AGAIN_S if self.look() else LOOK_S)

    def _is_ours(self, each: SeenProcess) -> bool:
        helpers = self._helpers()
        return each.pid in {1, helpers} or each.parent == helpers


def _all() -> list[SeenProcess]:
    found: list[SeenProcess] = []
    for name in os.listdir("/proc"):  # noqa: PTH208 - pathlib is not loaded there
        if name.isdigit():
            try:
                with open(f"/proc/{name}/status", encoding="utf-8", errors="replace") as file:  # noqa: PTH123 - the same
                    found.append(SeenProcess(int(name), file.read()))
            except (OSError, KeyError, ValueError):
                continue  # it ended while we were looking
    return found


def _end(each: SeenProcess) -> None:
    try:
        os.kill(each.pid, signal.SIGKILL)
    except OSError:
        return  # it has just ended by itself
