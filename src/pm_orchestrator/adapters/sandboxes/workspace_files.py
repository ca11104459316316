"""File operations inside a sandbox, confined to its workspace.

Paths are walked one component at a time with O_NOFOLLOW, symbolic links are
followed by hand and only while they stay inside. A check by realpath would leave
a moment in which a running command could swap a directory for a link, and the
tool server can open things (its own descriptors, through /proc) that commands
cannot.

Standard library only: this text runs inside the sandbox.
"""

from __future__ import annotations

import os
import stat
from collections import deque

MAX_LINKS = 40
DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class RefusedError(Exception):
    """The path is outside, missing, of the wrong kind or too large."""


class OpenName:
    """A name in an open directory: what a path leads to. Close it after use."""

    def __init__(self, folder: int, name: str) -> None:
        self.folder = folder
        self.name = name

    def __enter__(self) -> OpenName:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.folder)


class OpenDirectories:
    """The open directories from the root to where we are."""

    def __init__(self, root: int) -> None:
        self._folders = [os.dup(root)]
        self._links = 0

    def __enter__(self) -> OpenDirectories:
        return self

    def __exit__(self, *_: object) -> None:
        for fd in self._folders:
            os.close(fd)

    @property
    def here(self) -> int:
        return self._folders[-1]

    def down(self, name: str, *, make: bool) -> None:
        if make:
            _make_folder(name, self.here)
        self._folders.append(os.open(name, DIRECTORY, dir_fd=self.here))

    def up(self) -> None:
        if len(self._folders) == 1:
            raise RefusedError("it leads outside the workspace")
        os.close(self._folders.pop())

    def follow(self, target: str) -> None:
        """Count a link; an absolute one starts again at the root."""
        self._links += 1
        if self._links > MAX_LINKS:
            raise RefusedError("too many links")
        while target.startswith("/") and len(self._folders) > 1:
            os.close(self._folders.pop())


class WorkspaceFiles:
    """The directory tree that requests may touch."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._root_fd = os.open(root, DIRECTORY)

    def __enter__(self) -> WorkspaceFiles:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._root_fd)

    def stay_open(self) -> None:
        """Whoever works here can close the directory itself to everybody, and so to themselves."""
        mode = stat.S_IMODE(os.fstat(self._root_fd).st_mode)
        if mode & stat.S_IRWXU != stat.S_IRWXU:
            try:
                os.fchmod(self._root_fd, mode | stat.S_IRWXU)
            except PermissionError:
                return  # it is somebody else's, and was so from the beginning

    def locate(self, path: str, *, make_folders: bool = False) -> OpenName:
        """Walk to the path's last component, which itself is not a link any more."""
        if ".." in path.split("/"):
            raise RefusedError("it contains ..")
        pending = deque(self._inside(path))
        with OpenDirectories(self._root_fd) as walk:
            while pending:
                name = pending.popleft()
                if name == "..":
                    walk.up()
                elif (target := _link_target(name, walk.here)) is not None:
                    walk.follow(target)
                    pending.extendleft(reversed(self._inside(target)))
                elif not pending:
                    return OpenName(os.dup(walk.here), name)
                else:
                    walk.down(name, make=make_folders)
            return OpenName(os.dup(walk.here), ".")

    def _inside(self, path: str) -> list[str]:
        """The components below the root; an absolute path must name the root itself."""
        if path.startswith("/"):
            if path != self._root and not path.startswith(self._root + "/"):
                raise RefusedError("it leads outside the workspace")
            path = path[len(self._root) :]
        return [part for part in path.split("/") if part not in {"", "."}]

    def open_to_read(self, path: str, limit: int) -> int:
        """A descriptor of a regular file of at most `limit` bytes."""
        with self.locate(path) as place:
            # O_NONBLOCK: opening a FIFO must not wait for a writer.
            flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
            fd = os.open(place.name, flags, dir_fd=place.folder)
        found = os.fstat(fd)
        if not stat.S_ISREG(found.st_mode):
            os.close(fd)
            raise RefusedError("it is not a file")
        if found.st_size > limit:
            os.close(fd)
            raise RefusedError(f"it has {found.st_size} bytes, more than {limit}")
        return fd

    def entries(self, path: str) -> list[tuple[str, str, int]]:
        """Name, kind and size of everything in a directory, by name."""
        with self.locate(path) as place:
            fd = os.open(place.name, DIRECTORY, dir_fd=place.folder)
        try:
            found: list[tuple[str, str, int]] = []
            with os.scandir(fd) as names:
                for entry in names:
                    info = _status(entry)
                    if info is not None:
                        found.append((entry.name, _kind(info.st_mode), info.st_size))
        finally:
            os.close(fd)
        return sorted(found)


class Replacement:
    """A new content for a file, invisible until it is complete."""

    def __init__(self, place: OpenName) -> None:
        self._place = place
        self._temporary = f".pm-write-{os.urandom(8).hex()}"
        mode = 0o644
        try:
            old = os.stat(place.name, dir_fd=place.folder, follow_symlinks=False)
        except FileNotFoundError:
            old = None
        if old is not None:
            if not stat.S_ISREG(old.st_mode):
                raise RefusedError("it is not a file")
            mode = stat.S_IMODE(old.st_mode)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        self._fd = os.open(self._temporary, flags, 0o600, dir_fd=place.folder)
        self._mode = mode

    def write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(self._fd, view) :]

    def commit(self) -> None:
        os.fchmod(self._fd, self._mode)
        folder = self._place.folder
        os.rename(self._temporary, self._place.name, src_dir_fd=folder, dst_dir_fd=folder)
        os.close(self._fd)

    def abandon(self) -> None:
        os.close(self._fd)
        os.unlink(self._temporary, dir_fd=self._place.folder)


def _link_target(name: str, folder: int) -> str | None:
    try:
        info = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    return os.readlink(name, dir_fd=folder) if stat.S_ISLNK(info.st_mode) else None


def _make_folder(name: str, folder: int) -> None:
    try:
        os.mkdir(name, dir_fd=folder)
    except FileExistsError:
        return


def _status(entry: os.DirEntry[str]) -> os.stat_result | None:
    try:
        return entry.stat(follow_symlinks=False)
    except FileNotFoundError:
        return None  # removed while we were looking


def _kind(mode: int) -> str:
    if stat.S_ISREG(mode):
        return "file"
    if stat.S_ISDIR(mode):
        return "directory"
    return "link" if stat.S_ISLNK(mode) else "other"
