"""What tools have installed in a project: too large to be read, and still able to decide a gate.

Before the task only the names of what is installed are noted. Afterwards every file whose
change time is later was touched: one of an installed package is changed, one of a new
package is new, and a new one matters where it is loaded without anybody importing it.
"""

import os
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from pm_orchestrator.domain.judging.outcome import FileChange
from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.evidence.look.differences import printable

INSTALLED = frozenset({"node_modules", ".venv", "venv"})
HOUSEKEEPING = frozenset({".package-lock.json", ".yarn-integrity", ".modules.yaml", ".cache"})
"""What a package manager notes down for itself."""
PACKAGES = frozenset({"node_modules", "site-packages", "bin"})
"""Folders whose entries are what was installed."""
UNASKED = LatePattern(
    r"(?:.*/)?(?:[^/]+\.pth|(?:site|user)customize\.py|[^/]+\.(?:dist|egg)-info/entry_points\.txt"
    r"|\.?venv/bin/[^/]+|node_modules/\.bin/[^/]+|pyvenv\.cfg)"
)
"""Files that are loaded, or found as programs, without being named by the project."""
MOST_ENTRIES = 300_000


class Toolchains(msgspec.Struct, frozen=True, kw_only=True):
    """The folders of one project in which tools install, and what was in them."""

    folders: tuple[str, ...]
    installed: frozenset[str]
    """Paths of packages and programs."""

    @staticmethod
    def in_project(root: Path, ignored: Iterable[str]) -> "Toolchains":
        """Those that version control leaves out, and those at the top."""
        named = (path.rstrip("/") for path in ignored if path.endswith("/"))
        found = {path for path in named if path.rpartition("/")[2] in INSTALLED}
        found |= {name for name in INSTALLED if (root / name).is_dir()}
        folders = tuple(sorted(found))
        installed = (path for folder in folders for path in _installed(root, folder))
        return Toolchains(folders=folders, installed=frozenset(installed))


class ToolchainChanges(msgspec.Struct, frozen=True):
    """What was touched in them."""

    changes: tuple[FileChange, ...]
    unseen: tuple[str, ...]
    """Folders in which nobody could look to the end."""


def start_files(root: Path, toolchains: Toolchains) -> Iterator[str]:
    """Small files that are loaded unasked, so that they can be given back."""
    for path in sorted(toolchains.installed):
        if UNASKED.fullmatch(path) and not (root / path).is_dir():
            yield path


def changed_in_toolchains(
    root: Path, toolchains: Toolchains, since_ns: int, patience_s: float
) -> ToolchainChanges:
    """Changed files of what was installed, and new files that are loaded unasked."""
    found: list[FileChange] = []
    unseen: list[str] = []
    room, until = MOST_ENTRIES, time.monotonic() + patience_s
    prefix = f"{root}/"  # joined by hand: pathlib would be a good part of the time
    for folder in toolchains.folders:
        pending = [folder]
        while pending:
            if room <= 0 or time.monotonic() > until:
                unseen.append(folder)
                break
            below = pending.pop() + "/"
            entries = _entries(prefix + below)
            room -= len(entries)
            for entry in entries:
                # Tens of thousands come this way, nearly all of them untouched.
                if entry.is_dir(follow_symlinks=False):
                    if entry.name != "__pycache__":
                        pending.append(below + entry.name)
                    continue
                about = _touched(entry, since_ns)
                if about is None or entry.name in HOUSEKEEPING:
                    continue
                path = below + entry.name
                new = _is_new(path, toolchains.installed)
                if not new or UNASKED.fullmatch(path):
                    kind = "created" if new else "modified"
                    found.append(FileChange(path=printable(path), kind=kind, size=about.st_size))
    return ToolchainChanges(tuple(found), tuple(unseen))


def _is_new(path: str, installed: frozenset[str]) -> bool:
    """Whether a file belongs to nothing that was installed before."""
    parts = path.split("/")
    # The outermost: what lies in a package is that package's, a folder `bin` as well.
    end = next((n + 2 for n, part in enumerate(parts[:-1]) if part in PACKAGES), len(parts))
    if parts[end - 1].startswith("@") or parts[end - 1] == ".bin":
        end += 1
    return "/".join(parts[:end]) not in installed


def _installed(root: Path, folder: str) -> Iterator[str]:
    """The entries of folders of packages in one toolchain; those are few, whatever is in them."""
    if folder.rpartition("/")[2] == "node_modules":
        for name in _names(root / folder):
            yield f"{folder}/{name}"
            if name.startswith("@") or name == ".bin":
                yield from (f"{folder}/{name}/{inner}" for inner in _names(root / folder / name))
        return
    yield from (f"{folder}/{name}" for name in _names(root / folder))
    yield from (f"{folder}/bin/{name}" for name in _names(root / folder / "bin"))
    for packages in sorted((root / folder).glob("lib/python3*/site-packages")):
        inside = packages.relative_to(root).as_posix()
        yield from (f"{inside}/{name}" for name in _names(packages))


def _names(folder: Path) -> list[str]:
    return [entry.name for entry in _entries(folder)]


def _entries(folder: Path | str) -> list["os.DirEntry[str]"]:
    try:
        with os.scandir(folder) as found:
            return list(found)
    except OSError:
        return []


def _touched(entry: "os.DirEntry[str]", since_ns: int) -> os.stat_result | None:
    try:
        about = entry.stat(follow_symlinks=False)
    except OSError:
        return None
    return about if about.st_ctime_ns >= since_ns else None
