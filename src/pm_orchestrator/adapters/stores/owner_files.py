"""Ownership by a kernel lock that dies with its process, and a number that outlives it.

The lock tells the living from the dead; the number tells a new owner from an old
one that woke up late. The lock file is never deleted: a deleted lock can be held
twice. The record beside it is replaced as a whole, so it is never torn by a crash.
"""

import fcntl
import os
from pathlib import Path

from typing_extensions import override

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.record import Record, from_json, to_file
from pm_orchestrator.domain.tasks.file_lock import FileLock
from pm_orchestrator.ports.ownership import Owners, Ownership

FILE_MODE = 0o600


class OwnerRecord(Record, frozen=True, kw_only=True):
    """Who owns it now, or owned it last."""

    token: int
    pid: int
    lock: FileLock | None = None
    """For which executor, where the owner lets one write to the user's files."""


class LocalOwnership(Ownership):
    """One lock held by this process."""

    def __init__(self, path: Path, what: str, handle: int, token: int) -> None:
        self._path = path
        self._what = what
        self._handle: int | None = handle
        self._token = token

    @property
    @override
    def token(self) -> int:
        return self._token

    @override
    def confirm(self) -> None:
        now = _read(self._path)
        if self._handle is None or now is None or now.token != self._token:
            raise PmError("owner_alive", what=self._what, holder=_named(now))

    @override
    def release(self) -> None:
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


class LocalOwners(Owners):
    """Owners on this machine."""

    @override
    def take(self, path: Path, what: str, lock: FileLock | None = None) -> Ownership:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            guard = path.with_name(path.name + ".lock")
            handle = os.open(guard, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, FILE_MODE)
        except OSError as error:
            raise PmError("disk", path=path, reason=error.strerror) from error
        try:
            return self._own(path, what, handle, lock)
        except BaseException:
            os.close(handle)
            raise

    @staticmethod
    def _own(path: Path, what: str, handle: int, lock: FileLock | None) -> Ownership:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise PmError("owner_alive", what=what, holder=_named(_read(path))) from error
        before = _read(path)
        token = 1 + (before.token if before is not None else 0)
        write_record(path, OwnerRecord(token=token, pid=os.getpid(), lock=lock))
        return LocalOwnership(path, what, handle, token)


def _named(holder: OwnerRecord | None) -> str:
    """A process, and the executor it holds the lock for."""
    if holder is None:
        return "?"
    return f"{holder.pid} ({holder.lock.holder_executor_id})" if holder.lock else str(holder.pid)


def _read(path: Path) -> OwnerRecord | None:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    return from_json(OwnerRecord, data, str(path))


def write_record(path: Path, record: OwnerRecord) -> None:
    """Durable and whole: a number that a power cut takes back could be given out twice."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, FILE_MODE)
        try:
            os.write(handle, to_file(record))
            os.fsync(handle)
        finally:
            os.close(handle)
        draft.replace(path)
        directory = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)
    except OSError as error:
        raise PmError("disk", path=path, reason=error.strerror) from error
