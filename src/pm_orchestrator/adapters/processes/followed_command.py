"""Letting a watcher decide how long a command may go on."""

import asyncio
import platform
from pathlib import Path

from pm_orchestrator.adapters.processes.process_tree import children_of
from pm_orchestrator.adapters.processes.supervised import Ended, Lost, Supervised
from pm_orchestrator.ports.process import ProcessWatcher

LOOK_S = 0.2
"""How often the watcher is asked; what it saw meanwhile may have shortened its patience."""
SLACK_S = 0.6
"""Beyond the grace period, before a supervisor that was stopped by its command is killed."""


async def watched(
    supervised: Supervised, watcher: ProcessWatcher, patience_s: float, kill_grace_s: float
) -> Ended | Lost:
    """Wait for the end, which comes at the latest when the watcher has lost its patience.

    Raises:
        PmError: E901 when the program cannot be started, E903 when something survived.
    """
    # Not before its start is reported: a command can stop its supervisor before that.
    ending = asyncio.ensure_future(supervised.ended_within(patience_s))
    try:
        while not ending.done():
            pause = watcher.patience(lambda: _waits(supervised))
            if pause <= 0:
                break
            await asyncio.wait({ending}, timeout=min(pause, LOOK_S))
    finally:
        # Two readers of one control socket would take each other's lines.
        if not ending.done():
            ending.cancel()
            await asyncio.wait({ending})
    if not ending.cancelled():
        return ending.result()
    supervised.kill()
    return await supervised.ended_within(kill_grace_s, SLACK_S)


def _waits(supervised: Supervised) -> bool:
    return supervised.pid is not None and waits_for_terminal(supervised.pid)


# The number of read(2), by machine.
READ = {"x86_64": "0", "aarch64": "63"}.get(platform.machine())


def waits_for_terminal(root: int) -> bool:
    """Whether `root` or anything below it waits to read its stdin from a terminal."""
    if READ is None:
        return False
    pending = [root]
    while pending:
        pid = pending.pop()
        if _reads_terminal(pid):
            return True
        pending += children_of(pid)
    return False


def _reads_terminal(pid: int) -> bool:
    process = Path(f"/proc/{pid}")
    try:
        number, *arguments = (process / "syscall").read_text(encoding="ascii").split()
        if number != READ or int(arguments[0], 16) != 0:
            return False
        return str((process / "fd" / "0").readlink()).startswith(("/dev/pts/", "/dev/tty"))
    except (OSError, ValueError, IndexError):
        return False  # it has gone, it runs, or it is not ours to look at
