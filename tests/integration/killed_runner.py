"""The program, made to die by SIGKILL at its N-th durable write, or its N-th command.

Arguments: N (0 for never), `before`, `torn` or `command`, a file for the number of points,
then the command line. `torn` leaves half of what an append would have added; `command`
counts programs that are started (git, above all) in the place of writes.
"""

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from typing_extensions import override

from pm_orchestrator.adapters.stores import local_files, owner_files
from pm_orchestrator.adapters.subprocesses import LocalCommands
from pm_orchestrator.bootstrap import opening as application
from pm_orchestrator.cli.program import run
from pm_orchestrator.ports.process import Command, CommandResult

FATAL, MODE, COUNTER = int(sys.argv[1]), sys.argv[2], Path(sys.argv[3])


class Countdown:
    """Counts the points of one kind and ends the process at the fatal one."""

    def __init__(self) -> None:
        self.points = 0

    def next_write(self, tear: Callable[[], None] | None = None) -> None:
        if MODE != "command":
            self._next(tear if MODE == "torn" else None)

    def next_command(self) -> None:
        if MODE == "command":
            self._next(None)

    def _next(self, tear: Callable[[], None] | None) -> None:
        self.points += 1
        COUNTER.write_text(str(self.points), "utf-8")
        if self.points == FATAL:
            if tear is not None:
                tear()
            os.kill(os.getpid(), signal.SIGKILL)


COUNTDOWN = Countdown()


class MortalFiles(local_files.LocalFiles):
    """Files of a process that is about to be killed."""

    @override
    async def create(self, path: Path, data: bytes) -> None:
        COUNTDOWN.next_write()
        await super().create(path, data)

    @override
    async def replace(self, path: Path, data: bytes) -> None:
        draft = path.with_name(f".{path.name}.torn.tmp")
        COUNTDOWN.next_write(lambda: half(draft, data))
        await super().replace(path, data)

    @override
    async def append(self, path: Path, data: bytes) -> None:
        COUNTDOWN.next_write(lambda: half(path, data))
        await super().append(path, data)

    @override
    async def create_and_append(
        self, new: dict[Path, bytes], log: Path, line: bytes, ahead: Path
    ) -> None:
        def tear() -> None:
            for path, data in new.items():
                half(path, data * 2)
            half(log, line)

        COUNTDOWN.next_write(tear)
        await super().create_and_append(new, log, line, ahead)

    @override
    async def cut(self, path: Path, size: int) -> None:
        COUNTDOWN.next_write()
        await super().cut(path, size)


class MortalCommands(LocalCommands):
    """Commands of a process that is about to be killed."""

    @override
    async def run(self, command: Command) -> CommandResult:
        COUNTDOWN.next_command()
        return await super().run(command)


def half(path: Path, data: bytes) -> None:
    """Leave half of `data` at the end of `path`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        file.write(data[: len(data) // 2])


def main() -> int:
    write = owner_files.write_record

    def mortal_write(path: Path, record: owner_files.OwnerRecord) -> None:
        COUNTDOWN.next_write()
        write(path, record)

    application.LocalFiles = MortalFiles
    application.LocalCommands = MortalCommands
    owner_files.write_record = mortal_write
    return run(sys.argv[4:])


if __name__ == "__main__":
    sys.exit(main())
