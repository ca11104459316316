"""What a run keeps by name, so that its steps need to carry only the name.

In a run with a journal each record is a durable file, masked before it is written; in one
without, it stays in memory.
"""

import hashlib
from pathlib import Path
from typing import Any, Protocol, TypeVar

from typing_extensions import override

from pm_orchestrator.domain.record import Record, from_json, to_file
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.evidence.masking.redaction import redact
from pm_orchestrator.ports.store import DurableFiles

R = TypeVar("R", bound=Record)


class Kept(Protocol):
    """Records by name. Keeping another under the same name takes the place of the first."""

    async def keep(self, name: str, record: Record) -> str:
        """Keep it, and return its name."""
        ...

    def read(self, kind: type[R], name: str) -> R:
        """The record of this name.

        Raises:
            FileNotFoundError: there is none.
            MalformedRecordError: E302 when it is not a `kind`.
        """
        ...


class KeptInMemory(Kept):
    """For a run that cannot be resumed."""

    def __init__(self) -> None:
        self._records: dict[str, Any] = {}

    @override
    async def keep(self, name: str, record: Record) -> str:
        self._records[name] = record
        return name

    @override
    def read(self, kind: type[R], name: str) -> R:
        if name not in self._records:
            raise FileNotFoundError(name)
        return self._records[name]


class KeptFiles(Kept):
    """One file per name below `folder`."""

    def __init__(self, files: DurableFiles, folder: Path, masker: Masker) -> None:
        self._files = files
        self._folder = folder
        self._masker = masker

    @override
    async def keep(self, name: str, record: Record) -> str:
        await self._files.replace(self._path(name), to_file(redact(record, self._masker)))
        return name

    @override
    def read(self, kind: type[R], name: str) -> R:
        return from_json(kind, self._files.read(self._path(name)), name)

    def _path(self, name: str) -> Path:
        # Names come from tickets and phases; the digest makes any of them a file name.
        short = hashlib.sha256(name.encode()).hexdigest()[:24]
        return self._folder / f"{short}.json"
