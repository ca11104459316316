"""What tools are told at home, held around one task.

A line in `~/.npmrc` or `~/.config/git/config` decides how a gate runs like one in the
project. Who edits such a file in the course of a task may have good reasons, so it is no
offence: gates see the file as it was, and nobody else does. Held in memory and nowhere
else, as keys are among it.
"""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import msgspec

LARGEST = 64 * 1024
MOST_BYTES = 2 * 1024**2
MOST_FILES = 500
FOLDERS = (".config", ".config/*", ".local/lib/python3*/site-packages")
LOADED_UNASKED = (".pth", "customize.py")
"""Of what is installed for a user's Python, what it loads when it starts."""


class HomeSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Small files of settings in one home."""

    home: Path
    files: dict[Path, bytes]

    @staticmethod
    def of(home: Path, but: Path) -> "HomeSettings":
        """Note what stands in each; what is below `but` is somebody else's business."""
        room, files = MOST_BYTES, dict[Path, bytes]()
        for path in _settings(home):
            content = None if path.is_relative_to(but) else _content(path)
            if content is not None:
                files[path] = content
                room -= len(content)
            if room <= 0 or len(files) >= MOST_FILES:
                break
        return HomeSettings(home=home, files=files)

    def before(self, but: Path) -> dict[Path, bytes]:
        """Those that are otherwise now, as they were; a new one as a file with nothing in it."""
        now = HomeSettings.of(self.home, but).files
        full = len(self.files) >= MOST_FILES
        return {
            path: self.files.get(path, b"")
            for path, content in now.items()
            if self.files.get(path) != content and (path in self.files or not full)
        }


def _settings(home: Path) -> Iterator[Path]:
    yield from (path for path in _entries(home) if path.name.startswith("."))
    for pattern in FOLDERS:
        for folder in sorted(home.glob(pattern)):
            installed = folder.name == "site-packages"
            for path in _entries(folder):
                if not installed or path.name.endswith(LOADED_UNASKED):
                    yield path


def _entries(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            return sorted(Path(entry.path) for entry in entries if not entry.is_dir())
    except OSError:
        return []


def _content(path: Path) -> bytes | None:
    """What stands in a small plain file; None for anything else."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        about = os.fstat(handle)
        if not stat.S_ISREG(about.st_mode) or about.st_size > LARGEST:
            return None
        return os.read(handle, LARGEST)
    except OSError:
        return None
    finally:
        os.close(handle)
