"""What can be run on this machine, looked up as a shell would, without running it.

Only whether a Python has a module is asked of that Python, and that only where its folders
do not show it: an interpreter takes longer to start than everything else here.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.ports.process import Command, CommandRunner

ASK_S = 10.0
SETTINGS = "pyvenv.cfg"


class HostPrograms:
    """Programs by the user's own search path, for one project directory."""

    def __init__(
        self, commands: CommandRunner, root: Path, variables: Mapping[str, str], question: str
    ) -> None:
        """`question` is a Python program: it ends well if the module it is given is there."""
        self._commands = commands
        self._root = root
        self._variables = variables
        self._question = question

    def find(self, program: str) -> Path | None:
        """Where a program is; a name with a slash is one of the project."""
        places = [self._root / program]
        if "/" not in program:
            # An empty entry would mean the working directory, which is an agent's to fill.
            folders = self._variables.get("PATH", os.defpath).split(os.pathsep)
            places = [Path(folder, program) for folder in folders if folder]
        return next((p for p in places if p.is_file() and os.access(p, os.X_OK)), None)

    async def has_module(self, python: Path, module: str) -> bool:
        """Whether a Python could run a module."""
        folders = list(_own_packages(python))
        if any(_holds(folder, module) for folder in folders):
            return True
        if folders and _stands_alone(python):
            return False
        asked = Command(
            argv=(str(python), "-c", self._question, module),
            cwd=self._root,
            env=self._variables,
            timeout_s=ASK_S,
        )
        try:
            return (await self._commands.run(asked)).exit_code == 0
        except PmError:
            return False


def _own_packages(python: Path) -> Iterator[Path]:
    """The package folders that are surely this Python's."""
    prefix = python.parent.parent
    if not (prefix / SETTINGS).is_file():
        prefix = python.resolve().parent.parent
    found = sorted(prefix.glob("lib/python3*/site-packages"))
    # Where several versions share a prefix, only the Python itself knows its own.
    yield from found if len(found) == 1 else ()


def _stands_alone(python: Path) -> bool:
    """Whether it is an environment that takes nothing from the system."""
    try:
        text = (python.parent.parent / SETTINGS).read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return False
    return "include-system-site-packages=true" not in text.replace(" ", "").lower()


def _holds(folder: Path, module: str) -> bool:
    place = folder.joinpath(*module.split("."))
    return place.is_dir() or place.with_suffix(".py").is_file()
