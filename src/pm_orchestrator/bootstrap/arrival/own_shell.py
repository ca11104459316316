"""A person's own command, run by their own shell in the project directory."""

from collections.abc import Callable
from pathlib import Path
from typing import Literal

from typing_extensions import override

from pm_orchestrator.adapters.subprocesses import LocalCommands
from pm_orchestrator.bootstrap.environment import Environment, users_own
from pm_orchestrator.ports.process import Command, CommandResult, ProcessWatcher

LONGEST_S = 7 * 24 * 3600.0
"""It is theirs to stop."""
PLAIN = {"PAGER": "cat", "GIT_PAGER": "cat", "TERM": "dumb"}
"""There is no keyboard in it, and what it prints is shown as lines."""
DEFAULT_SHELL = "/bin/sh"


async def run_in_shell(
    environment: Environment, root: Path, command: str, tell: Callable[[str], None]
) -> CommandResult:
    """Run it to its end; `tell` hears every line as it comes, errors among them.

    Raises:
        PmError: E901 when there is no such shell.
    """
    shell = environment.variables.get("SHELL") or DEFAULT_SHELL
    watcher = _Lines(tell)
    result = await LocalCommands().follow(
        Command(
            argv=(shell, "-c", command),
            cwd=root,
            env={**users_own(environment.variables, root), **PLAIN},
            timeout_s=LONGEST_S,
        ),
        watcher,
    )
    watcher.end()
    return result


class _Lines(ProcessWatcher):
    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._begun = {"stdout": b"", "stderr": b""}

    @override
    def output(self, stream: Literal["stdout", "stderr"], data: bytes) -> None:
        *whole, self._begun[stream] = (self._begun[stream] + data).split(b"\n")
        if whole:
            self._tell("\n".join(line.decode("utf-8", "replace") for line in whole))

    @override
    def patience(self, waits_for_input: Callable[[], bool]) -> float:
        return LONGEST_S

    def end(self) -> None:
        """What stands behind the last line end."""
        for rest in self._begun.values():
            if rest:
                self._tell(rest.decode("utf-8", "replace"))
