"""Owners in memory, with deaths on demand."""

from pathlib import Path

from typing_extensions import override

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.tasks.file_lock import FileLock
from pm_orchestrator.ports.ownership import Owners, Ownership

HOLDER = 4711


class MemoryOwnership(Ownership):
    """One holder; it does not notice that it was taken for dead."""

    def __init__(self, owners: "MemoryOwners", path: Path, token: int) -> None:
        self._owners = owners
        self._path = path
        self._token = token

    @property
    @override
    def token(self) -> int:
        return self._token

    @override
    def confirm(self) -> None:
        if self._owners.holders.get(self._path) != self._token:
            raise PmError("owner_alive", what=self._path, holder=HOLDER)

    @override
    def release(self) -> None:
        if self._owners.holders.get(self._path) == self._token:
            del self._owners.holders[self._path]


class MemoryOwners(Owners):
    """All owners of a test."""

    def __init__(self) -> None:
        self.holders: dict[Path, int] = {}
        self._tokens: dict[Path, int] = {}

    @override
    def take(self, path: Path, what: str, lock: FileLock | None = None) -> Ownership:
        if path in self.holders:
            raise PmError("owner_alive", what=what, holder=HOLDER)
        self._tokens[path] = self._tokens.get(path, 0) + 1
        self.holders[path] = self._tokens[path]
        return MemoryOwnership(self, path, self._tokens[path])

    def die(self) -> None:
        """Every holder is dead from now on, and what it holds is free."""
        self.holders.clear()
