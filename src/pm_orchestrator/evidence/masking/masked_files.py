"""The one exit to the disk: whatever a record holds is masked as it is written.

Who writes need not think of it. What a hash is taken over, or what is packed, is masked
before that; masking it again changes nothing.
"""

from collections.abc import Collection
from contextlib import AbstractAsyncContextManager
from pathlib import Path

from typing_extensions import override

from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.evidence.masking.redaction import redact_json
from pm_orchestrator.ports.store import DurableFiles

JSON = ".json"
JSON_LINES = ".jsonl"


class MaskedFiles(DurableFiles):
    """Durable files for records: bytes that are text lose their secrets on the way."""

    def __init__(self, files: DurableFiles, masker: Masker) -> None:
        self._files = files
        self._masker = masker

    def _masked(self, path: Path, data: bytes) -> bytes:
        if not self._masker.suspects(data):
            return data
        if path.suffix in (JSON, JSON_LINES):
            return b"".join(map(self._masked_record, _records(path, data)))
        return self._masked_text(data)

    def _masked_record(self, data: bytes) -> bytes:
        try:
            return redact_json(data, self._masker)
        except ValueError:
            return self._masked_text(data)

    def _masked_text(self, data: bytes) -> bytes:
        try:
            masked = self._masker.mask(data.decode())
        except UnicodeDecodeError:
            return data  # Packed: it was text when it was masked.
        return masked.text.encode() if masked.found else data

    @override
    async def create(self, path: Path, data: bytes) -> None:
        await self._files.create(path, self._masked(path, data))

    @override
    async def replace(self, path: Path, data: bytes) -> None:
        await self._files.replace(path, self._masked(path, data))

    @override
    async def append(self, path: Path, data: bytes) -> None:
        await self._files.append(path, self._masked(path, data))

    @override
    async def create_and_append(
        self, new: dict[Path, bytes], log: Path, line: bytes, ahead: Path
    ) -> None:
        clean = {path: self._masked(path, data) for path, data in new.items()}
        await self._files.create_and_append(clean, log, self._masked(log, line), ahead)

    @override
    def note(self, path: Path, data: bytes) -> None:
        self._files.note(path, self._masked(path, data))

    @override
    async def recover(self, log: Path, ahead: Path) -> None:
        await self._files.recover(log, ahead)

    @override
    async def cut(self, path: Path, size: int) -> None:
        await self._files.cut(path, size)

    @override
    async def link(self, path: Path, target: Path) -> None:
        await self._files.link(path, target)

    @override
    async def remove(self, paths: Collection[Path]) -> None:
        await self._files.remove(paths)

    @override
    async def keep_room(self, path: Path, size: int) -> None:
        await self._files.keep_room(path, size)

    @override
    def exclusive(self, path: Path) -> AbstractAsyncContextManager[None]:
        return self._files.exclusive(path)

    @override
    def size(self, path: Path) -> int:
        return self._files.size(path)

    @override
    def names(self, folder: Path) -> tuple[str, ...]:
        return self._files.names(folder)

    @override
    def read(self, path: Path, offset: int = 0) -> bytes:
        return self._files.read(path, offset)


def _records(path: Path, data: bytes) -> list[bytes]:
    return data.splitlines(keepends=True) if path.suffix == JSON_LINES else [data]
