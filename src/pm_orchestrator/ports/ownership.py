"""Who may write: one living owner per thing, known by a number that only grows."""

from pathlib import Path
from typing import Protocol

from pm_orchestrator.domain.tasks.file_lock import FileLock


class Ownership(Protocol):
    """Held from `take` until `release` or the death of the process."""

    @property
    def token(self) -> int:
        """Larger than that of every owner before."""
        ...

    def confirm(self) -> None:
        """Make sure that nobody has taken over.

        Raises:
            PmError: E402 when somebody has; whoever asked must not write any more.
        """
        ...

    def release(self) -> None: ...


class Owners(Protocol):
    """Gives things to owners, across processes."""

    def take(self, path: Path, what: str, lock: FileLock | None = None) -> Ownership:
        """Become the owner of what the file `path` stands for; a dead owner is replaced.

        `lock` is written down with the owner, where what is owned is a file or directory
        of the user's. It says who writes there; it holds as long as the owner lives.

        Raises:
            PmError: E402 naming the living process that holds it; E302 for a record of
                ownership that is not one; E902 when it cannot be written.
        """
        ...
