"""`repl`: a conversation, or a script of commands on stdin."""

import sys
from pathlib import Path

import click

from pm_orchestrator.bootstrap.application import open_application
from pm_orchestrator.cli.invocation import Invocation, invocation, project_option, run_async
from pm_orchestrator.cli.repl.commands import dispatch
from pm_orchestrator.cli.repl.conversation import Conversation, lines_of
from pm_orchestrator.domain.errors import PmError


@click.command()
@click.option(
    "--non-interactive", is_flag=True, help="Read commands from stdin, one after the other."
)
@project_option
@invocation
def command(call: Invocation, project: Path, *, non_interactive: bool) -> int:
    """Read lines from stdin: slash commands, or instructions in plain words.

    Each line is finished, and its output written, before the next is read.
    """
    if sys.stdin.isatty() and not non_interactive:
        reason = "pipe commands into stdin, or give --non-interactive"
        raise PmError("bad_argument", reason=reason, command="repl")
    return run_async(_repl(call, project))


async def _repl(call: Invocation, project: Path) -> int:
    conversation = Conversation(await open_application(call.environment, project), call.screen)
    for line in lines_of(sys.stdin):
        try:
            await dispatch(conversation, line)
        except PmError as error:
            conversation.fail(error)
        if conversation.finished:
            break
    return conversation.exit_code()
