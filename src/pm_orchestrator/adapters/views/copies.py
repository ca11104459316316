"""A copy of the project with some files as they were, to run a gate on.

Only what the task changed is taken from before; everything else is copied from the project
as it stands, its `.git` and installed dependencies among it. The latter are linked, not
copied: they are large, and no part of the work.
"""

import asyncio
import os
import stat
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

from typing_extensions import override

from pm_orchestrator.ports.tree_views import Patch, PatchedCopies, PatchedFile

SIZE_LIMIT = 1024**3
"""Bytes; a larger project is not copied, and what its gates say needs a person."""
COPY_PREFIX = "pm-base-"
"""By which one that its process left behind is found."""
LINKED = frozenset({"node_modules", ".venv", "venv"})
LEFT_OUT = frozenset(
    {".pm-orchestrator", "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache"}
)


class TooLargeError(Exception):
    """The project has more bytes than are copied."""


class LocalCopies(PatchedCopies):
    """Copies below the temporary directory."""

    def __init__(self, limit: int = SIZE_LIMIT) -> None:
        self._limit = limit

    @override
    def of(self, root: Path, patch: Patch) -> AbstractAsyncContextManager[Path | None]:
        return self._copy(root, patch)

    @asynccontextmanager
    async def _copy(self, root: Path, patch: Patch) -> AsyncGenerator[Path | None]:
        import tempfile

        folder = Path(tempfile.mkdtemp(prefix=COPY_PREFIX))
        try:
            copy = folder / root.name
            try:
                await asyncio.to_thread(copy_tree, root, copy, self._limit)
            except TooLargeError:
                yield None
                return
            yield copy if await asyncio.to_thread(_apply, copy, patch) else None
        finally:
            await asyncio.to_thread(remove, folder)


def _apply(copy: Path, patch: Patch) -> bool:
    """False where a name lies behind a link: what is there is not the copy's to change."""
    for path in (*patch.gone, *patch.files):
        if any((copy / parent).is_symlink() for parent in Path(path).parents):
            return False
    for path in patch.gone:
        place = copy / path
        if place.is_dir() and not place.is_symlink():
            remove(place)
        else:
            place.unlink(missing_ok=True)
    for path, file in patch.files.items():
        _write(copy / path, file)
    return True


def _write(path: Path, file: PatchedFile) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    if file.link:
        path.symlink_to(os.fsdecode(file.content))
        return
    path.write_bytes(file.content)
    path.chmod(stat.S_IMODE(file.mode) or 0o644)


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
