"""A copy of the project with a task's changes taken back, to run a gate on.

Only what the task changed is read from the saved tree; everything else is copied from
the project as it stands, so that installed dependencies are there as well. Those are
linked, not copied: they are large, and no part of the work.
"""

import asyncio
import os
import stat
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

from typing_extensions import override

from pm_orchestrator.domain.judging.outcome import FileChange
from pm_orchestrator.ports.rescue import Saved
from pm_orchestrator.ports.saved_files import BaseCopies, SavedFiles

SIZE_LIMIT = 1024**3
"""Bytes; a larger project is not copied, and its red gates need a person."""
COPY_PREFIX = "pm-base-"
"""By which one that its process left behind is found."""
LINKED = frozenset({"node_modules", ".venv", "venv"})
LEFT_OUT = frozenset(
    {".git", ".pm-orchestrator", "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache"}
)


class TooLargeError(Exception):
    """The project has more bytes than are copied."""


class LocalBaseCopies(BaseCopies):
    """Copies below the temporary directory."""

    def __init__(self, saved: SavedFiles, limit: int = SIZE_LIMIT) -> None:
        self._saved = saved
        self._limit = limit

    @override
    def of(
        self, project: Path, saved: Saved, changes: tuple[FileChange, ...]
    ) -> AbstractAsyncContextManager[Path | None]:
        return self._copy(project, saved, changes)

    @asynccontextmanager
    async def _copy(
        self, project: Path, saved: Saved, changes: tuple[FileChange, ...]
    ) -> AsyncGenerator[Path | None]:
        import tempfile

        folder = Path(tempfile.mkdtemp(prefix=COPY_PREFIX))
        try:
            copy = folder / project.name
            try:
                await asyncio.to_thread(copy_tree, project, copy, self._limit)
            except TooLargeError:
                yield None
                return
            yield copy if await self._take_back(copy, saved, changes) else None
        finally:
            await asyncio.to_thread(remove, folder)

    async def _take_back(self, copy: Path, saved: Saved, changes: tuple[FileChange, ...]) -> bool:
        """False when a content from before is not known: another tree would be judged."""
        for change in changes:
            old = change.previous_path or change.path
            if change.kind in {"created", "renamed"}:
                (copy / change.path).unlink(missing_ok=True)
            if change.kind == "created":
                continue
            content = await self._saved.read(saved, old)
            if content is None:
                return False
            await asyncio.to_thread(_write, copy / old, content)
        return True


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    mode = path.stat().st_mode if path.exists() else 0o644
    path.unlink(missing_ok=True)
    path.write_bytes(content)
    path.chmod(stat.S_IMODE(mode))


def copy_tree(source: Path, target: Path, limit: int) -> None:
    """Copy what a gate may need; links stay links, pipes and devices are left out.

    Raises:
        TooLargeError: there are more than `limit` bytes.
    """
    import shutil

    room = limit
    pending = [(source, target)]
    while pending:
        folder, into = pending.pop()
        into.mkdir()
        with os.scandir(folder) as entries:
            for entry in entries:
                there = into / entry.name
                if entry.is_symlink():
                    there.symlink_to(Path(entry.path).readlink())
                elif entry.is_dir(follow_symlinks=False):
                    if entry.name in LINKED:
                        there.symlink_to(entry.path)
                    elif entry.name not in LEFT_OUT:
                        pending.append((Path(entry.path), there))
                elif entry.is_file(follow_symlinks=False):
                    room -= entry.stat(follow_symlinks=False).st_size
                    if room < 0:
                        raise TooLargeError
                    shutil.copy2(entry.path, there, follow_symlinks=False)


def remove(folder: Path) -> None:
    """Take a copy away, read-only directories included."""
    import shutil

    def make_writable(function: object, path: str, _: object) -> None:
        Path(path).parent.chmod(0o700)
        Path(path).chmod(0o700)
        shutil.rmtree(path) if Path(path).is_dir() else Path(path).unlink()

    shutil.rmtree(folder, onerror=make_writable)
