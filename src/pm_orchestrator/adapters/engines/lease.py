"""One living owner per journal, by a lock that dies with its process.

The kernel drops the lock when the owner's last file descriptor goes, so a
killed owner is replaced at once, and a living one, even a stopped one, never by
accident. The lock file is never deleted: a deleted lock can be held twice.
"""

import fcntl
import os
from pathlib import Path

from pm_orchestrator.domain.errors import PmError


class Lease:
    """Held from construction until `release`."""

    def __init__(self, path: Path) -> None:
        """Take the lease on `path`, by a lock file beside it.

        Raises:
            PmError: E402 naming the process that holds it; E902 when the file cannot be made.
        """
        lock = path.with_name(path.name + ".lock")
        try:
            self._descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise PmError("disk", path=lock, reason=error.strerror) from error
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = os.pread(self._descriptor, 32, 0).decode("ascii", "replace").strip()
            os.close(self._descriptor)
            raise PmError("owner_alive", what=path, holder=holder or "unknown") from error
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, f"{os.getpid()}\n".encode(), 0)

    def release(self) -> None:
        os.close(self._descriptor)
