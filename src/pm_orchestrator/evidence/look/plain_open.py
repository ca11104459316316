"""Opening what should be a file without ever waiting: a pipe in its place is no file."""

import errno
import os
import stat
from io import BufferedReader, FileIO
from pathlib import Path


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


def open_end(path: Path) -> FileIO:
    """Open a file to write at its end; it is made where it is missing.

    Raises:
        OSError: it cannot be written, or is a pipe that nobody reads.
    """
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK | os.O_CLOEXEC
    return FileIO(os.open(path, flags, 0o666), "ab")


def read_file(path: Path) -> bytes:
    """The bytes of a regular file.

    Raises:
        OSError: it cannot be read, or is none.
    """
    with open_file(path) as file:
        return file.read()
