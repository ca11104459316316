"""`repl`: a conversation, or a script of commands on stdin."""

import sys
from pathlib import Path

import click

from pm_orchestrator.bootstrap.application import open_application
from pm_orchestrator.cli.invocation import Invocation, invocation, project_option, run_async
from pm_orchestrator.cli.repl.commands import dispatch
from pm_orchestrator.cli.repl.conversation import Conversation, lines_of
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.supervision import WatchLimits


@click.command()
@click.option(
    "--non-interactive", is_flag=True, help="Read commands from stdin, one after the other."
)
@click.option(
    "--executor-timeout",
    type=click.IntRange(1),
    default=60_000,
    show_default=True,
    metavar="MS",
    help="How long the executor may work on one instruction, in milliseconds.",
)
@click.option(
    "--progress-timeout",
    type=click.IntRange(1),
    default=30_000,
    show_default=True,
    metavar="MS",
    help="How long it may show no sign of life, in milliseconds.",
)
@project_option
@invocation
def command(
    call: Invocation,
    project: Path,
    *,
    non_interactive: bool,
    executor_timeout: int,
    progress_timeout: int,
) -> int:
    """Read lines from stdin: slash commands, or instructions in plain words.

    Each line is finished, and its output written, before the next is read.
    """
    if sys.stdin.isatty() and not non_interactive:
        reason = "pipe commands into stdin, or give --non-interactive"
        raise PmError("bad_argument", reason=reason, command="repl")
    timers = WatchLimits(seconds=executor_timeout / 1000, silence_seconds=progress_timeout / 1000)
    return run_async(_repl(call, project, timers))


async def _repl(call: Invocation, project: Path, timers: WatchLimits) -> int:
    app = await open_application(call.environment, project)
    conversation = Conversation(app, call.screen, timers)
    try:
        for line in lines_of(sys.stdin):
            try:
                await dispatch(conversation, line)
            except PmError as error:
                conversation.fail(error)
            if conversation.finished:
                break
    finally:
        await conversation.leave()
    return conversation.exit_code()
