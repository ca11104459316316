"""Looking at files of the Runner as they are, without ever waiting: a pipe is no file."""

import errno
import os
import stat
from io import BufferedReader, FileIO
from pathlib import Path

from pm_orchestrator.domain.errors import PmError


def open_file(path: Path) -> BufferedReader:
    """Open a regular file to read it.

    Raises:
        OSError: it cannot be read, or is none.
    """
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))
    return os.fdopen(handle, "rb")


def append_to(path: Path, data: bytes) -> None:
    """Write at the end of a file; it is made where it is missing, its folder included.

    Raises:
        PmError: E902, it cannot be written, or is a pipe that nobody reads.
    """
    try:
        with _open_end(path) as file:
            file.write(data)
    except OSError as error:
        raise PmError("disk", path=path, reason=os.strerror(error.errno or 0)) from error


def _open_end(path: Path) -> FileIO:
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        return FileIO(os.open(path, flags, 0o666), "ab")
    except FileNotFoundError:
        # Somebody cleaned up while the run was on its way.
        path.parent.mkdir(parents=True, exist_ok=True)
        return FileIO(os.open(path, flags, 0o666), "ab")


def read_file(path: Path) -> bytes:
    """The bytes of a regular file.

    Raises:
        OSError: it cannot be read, or is none.
    """
    with open_file(path) as file:
        return file.read()


def try_read(path: Path) -> bytes | None:
    """The bytes of a regular file; None where there is none that can be read."""
    try:
        return read_file(path)
    except OSError:
        return None


def about(path: Path) -> os.stat_result | None:
    """What the disk says of a file; None where there is nothing to be had."""
    try:
        return path.stat()
    except OSError:
        return None


def is_there(path: Path) -> bool:
    """Whether there is something to be read.

    Raises:
        OSError: that cannot be told.
    """
    return path.exists()


def is_file(path: Path) -> bool:
    """Whether there is a regular file, or a link to one.

    Raises:
        OSError: that cannot be told.
    """
    return path.is_file()


def names_in(folder: Path, *endings: str) -> list[str]:
    """What is listed in a folder under such names, in order.

    Raises:
        OSError: it cannot be listed.
    """
    names = os.listdir(folder)  # noqa: PTH208 - there are thousands after a thousand tasks
    return sorted(name for name in names if name.endswith(endings))


def files_in(folder: str, endings: tuple[str, ...]) -> list[tuple[str, os.stat_result]]:
    """The regular files under such names, and what the disk says of each.

    As text: who asks for thousands would pay more for a path each than for the asking.

    Raises:
        OSError: the folder cannot be listed.
    """
    with os.scandir(folder) as found:
        return [
            (entry.path, entry.stat(follow_symlinks=False))
            for entry in found
            if entry.name.endswith(endings) and entry.is_file(follow_symlinks=False)
        ]
