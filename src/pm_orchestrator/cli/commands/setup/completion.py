"""`completion`: the script that teaches a shell our commands, options and ids."""

import click
from click.shell_completion import BashComplete, FishComplete, ShellComplete, ZshComplete

from pm_orchestrator.cli.invocation import Invocation, invocation

PROGRAM = "pm-orchestrator"
ALIAS = "pmo"
VARIABLE = "_PM_ORCHESTRATOR_COMPLETE"
"""Click looks for it by the program's name; both names ask through the same one."""


class WholeFishComplete(FishComplete):
    """Click's own ends what a command is good for at its first comma."""

    source_template = FishComplete.source_template.replace("split ", "split --max 1 ")


SHELLS: dict[str, type[ShellComplete]] = {
    "bash": BashComplete,
    "zsh": ZshComplete,
    "fish": WholeFishComplete,
}
FOR_ALIAS = {
    "bash": f"complete -o nosort -F _pm_orchestrator_completion {ALIAS}",
    # A script in `fpath` is called for the word that is completed; this one is read at start.
    "zsh": f"compdef _pm_orchestrator_completion {ALIAS}",
    "fish": f"complete --no-files --command {ALIAS} --wraps {PROGRAM}",
}


@click.command()
@click.argument("shell", type=click.Choice(list(SHELLS)))
@invocation
def command(call: Invocation, shell: str) -> int:
    """Print the completion script for SHELL.

    bash, in ~/.bashrc: `eval "$(pm-orchestrator completion bash)"`

    zsh, in ~/.zshrc: `eval "$(pm-orchestrator completion zsh)"`

    fish, in config.fish: `pm-orchestrator completion fish | source`
    """
    root = click.get_current_context().find_root().command
    # Without click's own look at the version of bash, which would start one.
    script = ShellComplete.source(SHELLS[shell](root, {}, PROGRAM, VARIABLE))
    call.screen.own(f"{script.rstrip()}\n{FOR_ALIAS[shell]}")
    return 0
