"""Records appended one per line, so that a long history costs no more per change than a short one.

A line without its end was never written: it is left out when reading and cut away
before the next line is added.
"""

from pathlib import Path
from typing import Generic, TypeVar

from pm_orchestrator.domain.record import Record, from_json, to_json
from pm_orchestrator.ports.store import DurableFiles

R = TypeVar("R", bound=Record)


class RecordJournal(Generic[R]):
    """The lines of one file."""

    def __init__(self, files: DurableFiles, path: Path, kind: type[R]) -> None:
        self._files = files
        self._path = path
        self._kind = kind
        self._mended_at = -1

    def read(self) -> list[R]:
        """All whole lines, oldest first.

        Raises:
            MalformedRecordError: E302 for a line that is no such record.
        """
        return [from_json(self._kind, line, str(self._path)) for line in self._whole().splitlines()]

    def _whole(self) -> bytes:
        data = self._files.read(self._path) if self._files.size(self._path) else b""
        return data[: data.rfind(b"\n") + 1]

    async def mend(self) -> None:
        """Cut away a line that a crash left without its end.

        A file of the length this journal left it with is not read again.
        """
        size = self._files.size(self._path)
        if size != self._mended_at:
            whole = len(self._whole())
            if whole < size:
                await self._files.cut(self._path, whole)
            self._mended_at = whole

    async def add(self, record: R) -> None:
        line = to_json(record) + b"\n"
        await self._files.append(self._path, line)
        self._mended_at += len(line)

    def note(self, record: R) -> None:
        """Like `add`, without waiting for the disk: a power cut may take it, a kill does not."""
        line = to_json(record) + b"\n"
        self._files.note(self._path, line)
        self._mended_at += len(line)

    async def clear(self) -> None:
        if self._files.size(self._path):
            await self._files.cut(self._path, 0)
        self._mended_at = 0
