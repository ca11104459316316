"""The program, made to die by SIGKILL at its N-th durable write.

Arguments: N (0 for never), `before` or `torn`, a file for the number of writes, then
the command line. `torn` leaves half of what an append would have added.
"""

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from typing_extensions import override

from pm_orchestrator.adapters.stores import local_files, owner_files
from pm_orchestrator.bootstrap import application
from pm_orchestrator.cli.program import run

FATAL, TORN, COUNTER = int(sys.argv[1]), sys.argv[2] == "torn", Path(sys.argv[3])


class Countdown:
    """Counts durable writes and ends the process at the fatal one."""

    def __init__(self) -> None:
        self.writes = 0

    def next_write(self, tear: Callable[[], None] | None = None) -> None:
        self.writes += 1
        COUNTER.write_text(str(self.writes), "utf-8")
        if self.writes == FATAL:
            if TORN and tear is not None:
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
    async def create_and_append(self, new: dict[Path, bytes], log: Path, line: bytes) -> None:
        def tear() -> None:
            for path, data in new.items():
                half(path, data * 2)
            half(log, line)

        COUNTDOWN.next_write(tear)
        await super().create_and_append(new, log, line)

    @override
    async def cut(self, path: Path, size: int) -> None:
        COUNTDOWN.next_write()
        await super().cut(path, size)


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
    owner_files.write_record = mortal_write
    return run(sys.argv[4:])


if __name__ == "__main__":
    sys.exit(main())
