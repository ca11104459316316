"""`sandbox`: look into the sandboxes that a company's workers get."""

import sys
from pathlib import Path
from typing import Literal

import click
from msgspec.structs import replace
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
from pm_orchestrator.cli.terminal.asking_page import YES
from pm_orchestrator.cli.terminal.screen import Screen
from pm_orchestrator.cli.terminal.terminal_input import is_attended, read_line
from pm_orchestrator.domain.catalogue.messages import say
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.tasks.status import EXIT_ERROR
from pm_orchestrator.ports.process import ProcessWatcher

PATIENCE_S = 3600.0


@click.group()
@language_option
def command() -> None:
    """Try a command in a worker's sandbox, see what is there, or install what it needs."""


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
        from pm_orchestrator.bootstrap.sandboxing.sandbox_shop import SandboxShop

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
        from pm_orchestrator.bootstrap.sandboxing.sandbox_shop import SandboxShop, sandbox_state
        from pm_orchestrator.cli.pages.sandbox_page import sandbox_page

        state = await sandbox_state(SandboxShop.of(await open_project(call.environment, project)))
        if as_json:
            call.screen.data(state)
        else:
            call.screen.line("\n".join(sandbox_page(state, call.lang)))
        return 0

    return run_async(work())


@command.command("build")
@click.option(
    "--runtime", type=click.Choice(SANDBOXES.names), help="Another than the settings say."
)
@click.option("--base", default="HEAD", metavar="REF", help="The commit whose lock files count.")
@click.option("--yes", is_flag=True, help="Let the commands reach the network without asking.")
@json_option
@project_option
@invocation
def build_layer_here(
    call: Invocation, project: Path, runtime: str | None, base: str, *, yes: bool, as_json: bool
) -> int:
    """Install what the project's lock files ask for, once, for all its sandboxes.

    The commands of `sandbox.setup`, or those that the lock files ask for, run in a sandbox of
    their own on the files of the commit, with this machine's network on. What they leave is kept
    until the lock files change or `prune` finds it unused, and workers and checks see it offline.
    """

    async def work() -> int:
        from pm_orchestrator.bootstrap.sandboxing.layer_building import build_layer
        from pm_orchestrator.bootstrap.sandboxing.sandbox_shop import LayerState, SandboxShop
        from pm_orchestrator.cli.pages.sandbox_page import layer_line

        shop = SandboxShop.of(await open_project(call.environment, project))
        plan = await shop.layer_plan(runtime, base)
        if plan is None:
            raise PmError("layer_not_needed")
        wanted = plan.wanted
        if wanted.layer is None:
            if not (yes or shop.settings.sandbox.setup_allowed):
                await _ask_for_network(call.screen, wanted.recipe.commands, as_json=as_json)
            shown = PrintedOutput(call.screen, beside=as_json)
            layer = await build_layer(shop.settings, shop.site, plan, shown)
            shown.ends()
            wanted = replace(wanted, layer=layer)
        state = LayerState.of(wanted)
        if as_json:
            call.screen.data(state)
        else:
            call.screen.line(layer_line(state, call.lang))
        return 0

    return run_async(work())


async def _ask_for_network(screen: Screen, commands: tuple[str, ...], *, as_json: bool) -> None:
    """Raises PmError E707 unless a person says yes."""
    shown = "; ".join(commands)
    if not as_json and is_attended():
        screen.line(say("layer_asks", screen.lang, commands=shown))
        screen.prompt(say("layer_yes", screen.lang))
        if (await read_line(sys.stdin.fileno())).strip().casefold() in YES:
            return
    raise PmError("setup_not_allowed", commands=shown)


class PrintedOutput(ProcessWatcher):
    """Prints what a command says, line by line, as it comes."""

    def __init__(self, screen: Screen, *, beside: bool = False) -> None:
        """`beside` the result: all of it goes where errors go."""
        self._screen = screen
        self._beside = beside
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
        is_result = stream == "stdout" and not self._beside
        show = self._screen.line if is_result else self._screen.aside
        show(text.decode(errors="replace"))
