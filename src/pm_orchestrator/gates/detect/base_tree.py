"""What detection asks about a project, as it was before the task."""

from collections.abc import Awaitable, Callable
from typing import Protocol

import msgspec

from pm_orchestrator.domain.judging.gate import GateKind

Argv = tuple[str, ...]

FINDS_MODULE = (
    "import importlib.util as u, sys\n"
    "try: sys.exit(u.find_spec(sys.argv[1]) is None)\n"
    "except ImportError: sys.exit(1)\n"
)
"""A program for any Python: ends well if it has the module that it is given."""

THERE = 'command -v "$0"'
"""For any shell: whether there is a program."""

ReadBase = Callable[[str], Awaitable[bytes | None]]
"""A file's content in the base, or None when it is not there."""


class BaseTree(Protocol):
    """The project before the task, and what can be run on it."""

    async def read_base(self, path: str) -> bytes | None:
        """A file's content; None when it is not there."""
        ...

    async def names_in(self, folder: str) -> tuple[str, ...]:
        """The names in a folder, each folder among them with a slash at its end."""
        ...

    async def can_run(self, argv: Argv) -> bool:
        """Whether the program is there, and the module that it is to run."""
        ...


class Offer(msgspec.Struct, frozen=True):
    """A command that some file of the project speaks for."""

    kind: GateKind
    source: str
    """The file, or the folder."""
    ways: tuple[Argv, ...]
    """The same in several ways, the best first; the last one is that of a plain system."""
    otherwise: tuple[Argv, ...] = ()
    """What would run the same checks if they were written for it."""
    by_settings: bool = False
    """Only the settings of the tool speak for it: not everybody has it who works here."""


def module_run_by(argv: Argv) -> str | None:
    """The module that a Python is to run."""
    is_python = argv[0].rpartition("/")[2].startswith("python")
    return argv[2] if is_python and argv[1:2] == ("-m",) and len(argv) > 2 else None


def asks_for(argv: Argv) -> Argv:
    """A command that ends well where another one can be run: its program, or what it runs."""
    module = module_run_by(argv)
    return (argv[0], "-c", FINDS_MODULE, module) if module else ("sh", "-c", THERE, argv[0])


async def text_in(base: BaseTree, path: str) -> str | None:
    """A file as text; None when it is not there."""
    content = await base.read_base(path)
    return None if content is None else content.decode("utf-8", "replace")
