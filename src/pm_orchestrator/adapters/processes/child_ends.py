"""The descriptors between us and one child: all closed in the end, whatever happens."""

import os
import socket
from contextlib import ExitStack
from io import FileIO

from pm_orchestrator.adapters.processes.zygote import SUPERVISED
from pm_orchestrator.adapters.processes.zygote_owner import ZygoteOwner


class ChildEnds(ExitStack):
    """Opens pairs of ends; `hand_over` gives the child's ones away and closes our copies."""

    def __init__(self) -> None:
        super().__init__()
        self._given: list[FileIO | socket.socket] = []
        self._stdio: list[int] = []

    def input(self, data: bytes) -> None:
        """The child's stdin is /dev/null, or a file in memory that holds `data`."""
        if not data:
            self._give(self.enter_context(FileIO(os.open(os.devnull, os.O_RDONLY))))
            return
        file = self.enter_context(FileIO(os.memfd_create("stdin"), "r+"))
        file.write(data)
        file.seek(0)
        self._give(file)

    def spoken_input(self) -> socket.socket:
        """The child's stdin is a socket, which none of its own children can open to answer it."""
        ours, theirs = self._pair()
        self._give(theirs)
        return ours

    def output_pipe(self) -> FileIO:
        """The child's next descriptor is a pipe; this is the end to read from."""
        reader, writer = os.pipe()
        ours = self.enter_context(FileIO(reader))
        self._give(self.enter_context(FileIO(writer, "w")))
        return ours

    def duplex(self) -> socket.socket:
        """The child's stdin and stdout are one socket; this is its other end.

        Unlike two pipes it cannot be opened again by others through /proc.
        """
        ours = self.spoken_input()
        self._stdio.append(self._stdio[-1])
        return ours

    def hand_over(self, zygotes: ZygoteOwner, kind: bytes = SUPERVISED) -> socket.socket:
        """Give the child's ends to whoever starts it; return the socket that controls it."""
        ours, theirs = self._pair()
        stdin, stdout, stderr = self._stdio
        zygotes.spawn(theirs.fileno(), (stdin, stdout, stderr), kind)
        theirs.close()
        for end in self._given:
            end.close()
        return ours

    def _give(self, end: FileIO | socket.socket) -> None:
        self._given.append(end)
        self._stdio.append(end.fileno())

    def _pair(self) -> tuple[socket.socket, socket.socket]:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        self.enter_context(ours)
        self.enter_context(theirs)
        ours.setblocking(False)
        return ours, theirs
