"""Child processes: one door, so that every child has the same manners."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal, Protocol

import msgspec


class DirectoryView(msgspec.Struct, frozen=True, kw_only=True):
    """A directory as a command is to see it: at its own path, and what it writes thrown away.

    Or a single file, with one layer: the file that is seen in its place.
    """

    at: Path
    layers: tuple[Path, ...] = ()
    """Directories that are laid over it, the topmost first. In them, a character device 0/0
    stands for a name that is gone."""
    scratch: Path
    """Outside of all of them: what was written is in its folder `upper` afterwards."""


class Gathered(msgspec.Struct, frozen=True, kw_only=True):
    """Directories that a command finds gathered below one place, each as `PLACE/NUMBER/seen`.

    What it writes into them lies in memory, and nobody else sees it.
    """

    place: Path
    """A directory of the host; what is in it is covered."""
    room: int
    """How many bytes it may write into all of them together."""
    owner: int | None
    """The user who may write into each of their directories; None changes nothing."""
    sources: tuple[tuple[Path, tuple[str, ...], bool], ...]
    """The directories, names of files in each that are not to be seen, and whether it can be
    written to."""


class Command(msgspec.Struct, frozen=True, kw_only=True):
    """What to run. Never a shell string."""

    argv: tuple[str, ...]
    cwd: Path
    env: Mapping[str, str]
    """The whole environment of the child; nothing is inherited."""
    timeout_s: float = 300.0
    output_limit: int = 1_000_000
    """Bytes kept of each stream; the rest is read and dropped."""
    stdin: bytes = b""
    """What there is to read, and no more: it comes from a file, so it ends at once."""
    views: tuple[DirectoryView, ...] = ()
    """Directories that it sees otherwise than they are."""
    gathered: Gathered | None = None


class CommandResult(msgspec.Struct, frozen=True, kw_only=True):
    """How it ended."""

    exit_code: int | None
    """None when it was killed by us before it ended by itself."""
    stdout: bytes
    stderr: bytes
    timed_out: bool = False
    truncated: bool = False
    held: bool = False
    """The process ended, but something it left behind kept its output open until swept."""
    duration_ms: int = 0
    ended_with: Literal["SIGTERM", "SIGKILL"] | None = None
    """The last signal it took to end the tree; None when it ended by itself."""
    out_of_memory: bool = False
    """It failed, and something in it was killed because its place had no more memory."""


class ReportedResult(CommandResult, frozen=True, kw_only=True):
    """How a command ended, and what the test runners in it said about each test."""

    report: bytes = b""
    """Lines of JSON, as far as a runner could be asked."""


Say = Callable[[bytes], None]
"""Gives a child something to read; no bytes at all end its input."""


class ProcessWatcher(Protocol):
    """Follows a child while it runs, may talk to it, and may have it ended."""

    @property
    def speaks(self) -> bool:
        """Whether the child's stdin is a pipe that this one writes to."""
        return False

    def may_speak(self, say: Say) -> None:
        """The child is there, and reads what it is told from now on."""

    def output(self, stream: Literal["stdout", "stderr"], data: bytes) -> None:
        """The child wrote this just now."""
        ...

    def patience(self, waits_for_input: Callable[[], bool]) -> float:
        """Seconds the child may go on from now; 0 ends it with its whole tree.

        `waits_for_input` looks whether anything in the tree waits to read from a
        terminal. That costs a walk through it, so it is for quiet moments.
        """
        ...


class Channel(Protocol):
    """A child we talk with over its stdin and stdout; only sandboxes are opened this way."""

    @property
    def pid(self) -> int: ...

    async def read_exactly(self, count: int) -> bytes:
        """Raises asyncio.IncompleteReadError when the child's stdout ends."""
        ...

    def write(self, data: bytes) -> None: ...

    async def drain(self) -> None:
        """Wait until the child has taken enough of what was written."""
        ...

    def stderr_tail(self) -> str:
        """The last few kilobytes the child wrote to stderr."""
        ...

    async def close(self, grace_s: float = 3.0) -> int | None:
        """Close stdin, wait, then kill the whole tree. Returns the exit code, None if killed."""
        ...


class CommandRunner(Protocol):
    """Runs children in their own session, with stdin from /dev/null or the bytes given.

    A kill (deadline, cancellation, `close`) takes the whole tree: SIGTERM, the
    grace period, SIGKILL, then a sweep for whatever left the process group.
    When `run` returns or raises, no process it started is alive.
    """

    async def run(self, command: Command) -> CommandResult:
        """Run to the end or the deadline.

        Raises:
            PmError: E901 when the program cannot be started at all.
        """
        ...

    async def follow(self, command: Command, watcher: ProcessWatcher) -> CommandResult:
        """Like `run`, with a watcher that is asked several times a second, and may talk.

        After it lost its patience this returns within the grace period and one
        second, whatever the child does. `timeout_s` stands behind the watcher.
        """
        ...

    async def open(self, command: Command) -> Channel:
        """Start a child to talk with. `timeout_s` is ignored; the caller owns its life."""
        ...
