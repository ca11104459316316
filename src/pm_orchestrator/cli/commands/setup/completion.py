"""`completion`: the script that teaches a shell our commands, options and ids."""

import click
from click.shell_completion import BashComplete, ShellComplete

from pm_orchestrator.cli.invocation import Invocation, invocation

PROGRAM = "pm-orchestrator"
ALIAS = "pmo"
VARIABLE = "_PM_ORCHESTRATOR_COMPLETE"
"""Click looks for it by the program's name; both names ask through the same one."""


@click.command()
@click.argument("shell", type=click.Choice(["bash"]))
@invocation
def command(call: Invocation, shell: str) -> int:
    """Print the completion script for SHELL.

    In ~/.bashrc: eval "$(pm-orchestrator completion bash)"
    """
    root = click.get_current_context().find_root().command
    # Without click's own look at the version of bash, which would start one.
    script = ShellComplete.source(BashComplete(root, {}, PROGRAM, VARIABLE))
    setup = f"complete -o nosort -F _pm_orchestrator_completion {ALIAS}"
    call.screen.own(f"{script.rstrip()}\n{setup}")
    return 0
