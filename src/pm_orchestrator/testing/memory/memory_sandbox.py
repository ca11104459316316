"""A sandbox without processes: files in a dictionary, programs as a function."""

from collections.abc import Callable, Mapping
from pathlib import PurePosixPath

from typing_extensions import override

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.ports.hands import DirectoryEntry
from pm_orchestrator.ports.process import CommandResult, ProcessWatcher
from pm_orchestrator.ports.sandbox import Sandbox

Programs = Callable[[tuple[str, ...]], CommandResult]


def succeed(stdout: bytes = b"") -> CommandResult:
    """A program that ended well."""
    return CommandResult(exit_code=0, stdout=stdout, stderr=b"")


class MemorySandbox(Sandbox):
    """Keeps what is written; refuses what leads out; remembers every command."""

    def __init__(self, programs: Programs = lambda _: succeed()) -> None:
        self.files: dict[str, bytes] = {}
        self.commands: list[tuple[str, ...]] = []
        self.closed = False
        self._programs = programs

    @property
    @override
    def root(self) -> str:
        return "/memory"

    @property
    @override
    def unenforced(self) -> tuple[str, ...]:
        return ("everything",)

    @override
    async def run(
        self, argv: tuple[str, ...], *, timeout_s: float = 300.0, output_limit: int = 200_000
    ) -> CommandResult:
        self.commands.append(argv)
        return self._programs(argv)

    @override
    async def follow(
        self,
        argv: tuple[str, ...],
        watcher: ProcessWatcher,
        *,
        timeout_s: float,
        output_limit: int = 0,
        variables: Mapping[str, str] | None = None,
    ) -> CommandResult:
        result = await self.run(argv, timeout_s=timeout_s)
        watcher.output("stdout", result.stdout)
        watcher.output("stderr", result.stderr)
        return result

    @override
    async def read_file(self, path: str, limit: int = 4 * 1024**2) -> bytes:
        place = _inside(path)
        if place not in self.files:
            raise PmError("sandbox_path_refused", path=path, reason="there is no such file")
        return self.files[place]

    @override
    async def write_file(self, path: str, data: bytes) -> None:
        self.files[_inside(path)] = data

    @override
    async def list_directory(self, path: str) -> tuple[DirectoryEntry, ...]:
        folder = PurePosixPath(_inside(path))
        return tuple(
            DirectoryEntry(name=PurePosixPath(name).name, kind="file", size=len(data))
            for name, data in sorted(self.files.items())
            if PurePosixPath(name).parent == folder
        )

    @override
    async def reported(self) -> bytes:
        return b""

    @override
    async def close(self) -> None:
        self.closed = True


def _inside(path: str) -> str:
    place = PurePosixPath(path)
    if place.is_absolute() or ".." in place.parts:
        raise PmError("sandbox_path_refused", path=path, reason="it leads out of the workspace")
    return str(place)
