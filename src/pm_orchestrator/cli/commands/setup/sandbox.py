"""`sandbox`: look into the sandboxes that a company's workers get."""

from pathlib import Path
from typing import Literal

import click
from typing_extensions import override

from pm_orchestrator.bootstrap.opening import open_project
from pm_orchestrator.bootstrap.registry import SANDBOXES
from pm_orchestrator.cli.invocation import (
    Invocation,
    invocation,
    json_option,
    project_option,
    run_async,
)
from pm_orchestrator.cli.spoken_help import language_option
from pm_orchestrator.cli.terminal.screen import Screen
from pm_orchestrator.domain.tasks.status import EXIT_ERROR
from pm_orchestrator.ports.process import ProcessWatcher

PATIENCE_S = 3600.0


@click.group()
@language_option
def command() -> None:
    """Try a command in the sandbox that a worker gets, or see what it would find there."""


@command.command("exec", context_settings={"ignore_unknown_options": True})
@click.option(
    "--runtime", type=click.Choice(SANDBOXES.names), help="Another than the settings say."
)
@click.option("--base", default="HEAD", metavar="REF", help="The commit that is checked out in it.")
@click.argument("argv", nargs=-1, required=True, type=click.UNPROCESSED)
@project_option
@invocation
def run_inside(
    call: Invocation, project: Path, argv: tuple[str, ...], runtime: str | None, base: str
) -> int:
    """Run ARGV in a new sandbox with the project checked out, offline, and throw it away.

    What is not committed is not in it, and what the command writes does not come back. The exit
    code is the command's own. Put `--` before a command that has options.
    """

    async def work() -> int:
        from pm_orchestrator.bootstrap.crews.sandbox_shop import SandboxShop

        shop = SandboxShop.of(await open_project(call.environment, project))
        shown = PrintedOutput(call.screen)
        code = await shop.run(argv, shown, runtime, base)
        shown.ends()
        return EXIT_ERROR if code is None else code

    return run_async(work())


@command.command("list")
@json_option
@project_option
@invocation
def list_sandboxes(call: Invocation, project: Path, *, as_json: bool) -> int:
    """Show which runtimes work, what of this machine is seen inside, and which checks run there."""

    async def work() -> int:
        from pm_orchestrator.bootstrap.crews.sandbox_shop import SandboxShop, sandbox_state
        from pm_orchestrator.cli.pages.sandbox_page import sandbox_page

        state = await sandbox_state(SandboxShop.of(await open_project(call.environment, project)))
        if as_json:
            call.screen.data(state)
        else:
            call.screen.line("\n".join(sandbox_page(state, call.lang)))
        return 0

    return run_async(work())


class PrintedOutput(ProcessWatcher):
    """Prints what a command says, line by line, as it comes."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._begun = {"stdout": b"", "stderr": b""}

    @override
    def output(self, stream: Literal["stdout", "stderr"], data: bytes) -> None:
        *lines, self._begun[stream] = (self._begun[stream] + data).split(b"\n")
        if lines:
            self._print(stream, b"\n".join(lines))

    def ends(self) -> None:
        """Print what came without an end of line."""
        for stream, rest in self._begun.items():
            if rest:
                self._print(stream, rest)

    @override
    def patience(self, waits_for_input: object) -> float:
        return PATIENCE_S

    def _print(self, stream: str, text: bytes) -> None:
        show = self._screen.line if stream == "stdout" else self._screen.aside
        show(text.decode(errors="replace"))
