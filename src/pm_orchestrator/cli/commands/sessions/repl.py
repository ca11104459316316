"""`repl`: a conversation, or a script of commands on stdin."""

import sys
from pathlib import Path
from typing import TypedDict, Unpack

import click

from pm_orchestrator.bootstrap.project_modes import ProjectChoice, ProjectMode
from pm_orchestrator.cli.invocation import Invocation, invocation, run_async
from pm_orchestrator.cli.pages.summary import SummaryFormat
from pm_orchestrator.cli.repl.open_conversation import Opening, open_conversation
from pm_orchestrator.cli.terminal.terminal_input import is_attended
from pm_orchestrator.domain.company.supervision import WatchLimits

EXECUTOR_TIMEOUT_MS = 60_000
PROGRESS_TIMEOUT_MS = 30_000
"""For scripts, where nobody is there to see that nothing happens."""


class ReplOptions(TypedDict):
    """The options of one call."""

    project: Path | None
    project_mode: ProjectMode
    project_root: Path | None
    print_project_path: bool
    non_interactive: bool
    exit_on_eof: bool
    wait: bool
    executor_timeout: int | None
    progress_timeout: int | None
    summary_format: SummaryFormat | None


@click.command()
@click.option(
    "--project",
    type=click.Path(path_type=Path),
    help="The project's directory; the current one by default.",
)
@click.option(
    "--project-mode",
    type=click.Choice(["cwd", "temp", "fixed"]),
    default="cwd",
    show_default=True,
    help="Work here, in a new temporary directory, or in --project-root.",
)
@click.option(
    "--project-root",
    type=click.Path(path_type=Path),
    help="The directory of fixed mode; it must exist.",
)
@click.option(
    "--print-project-path", is_flag=True, help="Print PROJECT_PATH=... before anything else."
)
@click.option(
    "--non-interactive", is_flag=True, help="Read commands from stdin, even on a terminal."
)
@click.option(
    "--exit-on-eof/--no-exit-on-eof",
    default=True,
    show_default=True,
    help="Leave at the end of a script, or wait for more of it.",
)
@click.option(
    "--wait/--no-wait",
    default=True,
    show_default=True,
    help="Finish each instruction of a script before the next line is read.",
)
@click.option(
    "--executor-timeout",
    type=click.IntRange(1),
    metavar="MS",
    help="How long the executor may work on one instruction, in milliseconds; "
    f"in a script {EXECUTOR_TIMEOUT_MS} by default.",
)
@click.option(
    "--progress-timeout",
    type=click.IntRange(1),
    metavar="MS",
    help="How long it may show no sign of life, in milliseconds; "
    f"in a script {PROGRESS_TIMEOUT_MS} by default.",
)
@click.option(
    "--summary-format",
    type=click.Choice(["block", "plain"]),
    help="How the end of a task is summed up; the project's setting by default.",
)
@invocation
def command(call: Invocation, **given: Unpack[ReplOptions]) -> int:
    """Read lines from stdin: slash commands, or instructions in plain words.

    In a script each line is finished, and its output written, before the next is read.
    """
    interactive = is_attended() and not given["non_interactive"]
    opening = Opening(
        choice=ProjectChoice(
            mode=given["project_mode"],
            project=given["project"],
            root=given["project_root"],
            searches=interactive,
        ),
        print_path=given["print_project_path"],
        timers=_timers(given, interactive=interactive),
        form=given["summary_format"],
    )
    work = _conversation(call, opening) if interactive else _script(call, opening, given)
    return run_async(work)


async def _conversation(call: Invocation, opening: Opening) -> int:
    from pm_orchestrator.cli.repl.interactive.converse import converse
    from pm_orchestrator.cli.repl.interactive.terminal_ui import TerminalUi

    ui = TerminalUi(call.screen)
    return await converse(await open_conversation(call.environment, call.screen, opening, ui), ui)


async def _script(call: Invocation, opening: Opening, given: ReplOptions) -> int:
    from pm_orchestrator.cli.repl.input_lines import InputLines
    from pm_orchestrator.cli.repl.script import run_script

    conversation = await open_conversation(call.environment, call.screen, opening)
    lines = InputLines(sys.stdin.fileno(), follow=not given["exit_on_eof"])
    return await run_script(conversation, lines, wait=given["wait"])


def _timers(given: ReplOptions, *, interactive: bool) -> WatchLimits | None:
    """None for the budget of the settings: a person sees for themselves what goes on."""
    whole, silence = given["executor_timeout"], given["progress_timeout"]
    if interactive and whole is None and silence is None:
        return None
    return WatchLimits(
        seconds=(whole or EXECUTOR_TIMEOUT_MS) / 1000,
        silence_seconds=(silence or PROGRESS_TIMEOUT_MS) / 1000,
    )
