"""Seeing that a process waits for somebody to type.

A child's stdin is /dev/null, which never makes a reader wait: it gets the end of
the input at once. What can be seen waiting is a process below it that has a
terminal of its own making (`script`, `pty.spawn`) and sits in a read of it.
A read of a pipe or a socket is how programs talk with each other, and says
nothing. Where the kernel does not show system calls, nothing is seen.
"""

import platform
from pathlib import Path

from pm_orchestrator.adapters.processes.process_tree import children_of

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
