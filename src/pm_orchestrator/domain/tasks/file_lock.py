"""Who may read or write a file at the moment."""

from enum import StrEnum

from pm_orchestrator.domain.record import Record


class LockType(StrEnum):
    """Readers share; a writer is alone."""

    READ = "READ"
    WRITE = "WRITE"


class FileLock(Record, frozen=True, kw_only=True):
    """One lock on one file."""

    lock_id: str
    file_path: str
    """Absolute."""
    holder_executor_id: str
    acquired_at: str
    expires_at: str
    """For finding deadlocks; never a reason to release the lock."""
    lock_type: LockType
