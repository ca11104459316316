"""The installations that a project's own environments stand on.

A virtual environment holds packages and, in `pyvenv.cfg`, the folder of the interpreter that it
was made with. Where that is outside of /usr, as with pyenv, uv or conda, it has to be seen too,
at the same path.
"""

from collections.abc import Iterator
from pathlib import Path

SYSTEM = tuple(Path(folder) for folder in ("/usr", "/bin", "/sbin", "/lib", "/lib64"))
"""Seen in every sandbox."""


SETTINGS = "pyvenv.cfg"
HOME = "home"
"""In these settings of an environment, the line with the folder of the interpreter."""
PROGRAM_FOLDERS = frozenset({"bin", "sbin", "shims"})


def is_environment(folder: Path) -> bool:
    """Whether a directory is a virtual environment of Python, whatever it is called."""
    return (folder / SETTINGS).is_file()


def installations(environment: Path) -> Iterator[Path]:
    """Where its interpreter is installed, by all names that lead there."""
    try:
        lines = (environment / SETTINGS).read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return
    pairs = (line.partition("=") for line in lines)
    named = [Path(value.strip()) for name, _, value in pairs if name.strip() == HOME]
    for folder in (*named, (environment / "bin" / "python").resolve().parent):
        if folder.is_absolute() and folder.is_dir():
            yield from (installation(folder), installation(folder.resolve()))


def installation(folder: Path) -> Path:
    """What has to be seen so that the programs of a folder work."""
    return folder.parent if folder.name in PROGRAM_FOLDERS else folder


def in_system(folder: Path) -> bool:
    """Whether it is seen in every sandbox anyway."""
    return any(folder.is_relative_to(place) for place in SYSTEM)
