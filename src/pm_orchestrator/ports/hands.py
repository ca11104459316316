"""Acting in one place: run a program there, read and write its files.

An executor works through the hands it is given and knows no other way, so the same
executor works in the user's directory and in a sandbox.
"""

from collections.abc import Mapping
from typing import Protocol

import msgspec

from pm_orchestrator.ports.process import CommandResult, ProcessWatcher


class DirectoryEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One name in a directory."""

    name: str
    """Bytes that are no UTF-8 stand in it as Python's surrogate escapes."""
    kind: str
    """`file`, `directory`, `link` or `other`."""
    size: int


class Hands(Protocol):
    """Work in one directory. Paths are relative to it, and cannot leave it.

    The file methods raise PmError E703 for a path that is refused (outside,
    missing, not a file, too large).
    """

    @property
    def root(self) -> str:
        """The directory, by the name that programs run here know it under."""
        ...

    async def run(
        self, argv: tuple[str, ...], *, timeout_s: float = 300.0, output_limit: int = 200_000
    ) -> CommandResult:
        """Run a program in the directory; its whole tree is gone when this returns.

        Raises:
            PmError: E901 when the program cannot be started at all.
        """
        ...

    async def follow(
        self,
        argv: tuple[str, ...],
        watcher: ProcessWatcher,
        *,
        timeout_s: float,
        output_limit: int = 0,
        variables: Mapping[str, str] | None = None,
    ) -> CommandResult:
        """Like `run`, with a watcher that hears all output and may end it at any moment.

        `variables` come on top of the environment of the place. Where nobody can look
        into the place, the watcher is told that nothing waits for input, and nothing that
        it would say gets in.
        """
        ...

    async def read_file(self, path: str, limit: int = 4 * 1024**2) -> bytes: ...

    async def write_file(self, path: str, data: bytes) -> None:
        """Replace or create the file, with its directories."""
        ...

    async def list_directory(self, path: str) -> tuple[DirectoryEntry, ...]: ...
