"""The command line: names and one-line helps here, each command in a module of its own.

Commands are imported when they are called, so that `--help` costs no more than
click itself.
"""

import importlib
import keyword
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click
from typing_extensions import override

from pm_orchestrator.bootstrap.environment import read_environment
from pm_orchestrator.domain.catalogue.messages import say
from pm_orchestrator.domain.status import EXIT_ERROR, EXIT_INCOMPLETE

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

COMMANDS: dict[str, str] = {
    "accept": "Settle what keeps a finished task from being complete.",
    "approve": "Allow an unfinished session to go on.",
    "bench": "Measure the product against its own limits, as ratios.",
    "cancel": "Stop a running task, here or in another process.",
    "completion": "Print the script for completion in your shell.",
    "continue": "Go on with an approved session's unfinished task.",
    "demo": "See a whole run on a sample project: no key, no network.",
    "doctor": "Check whether everything is there that work needs.",
    "evidence": "Verify or show what the Runner recorded.",
    "init": "Make a directory a project.",
    "logs": "Show the tasks of a project and their logs.",
    "repl": "Work in a conversation, or run a script of commands.",
    "reply": "Answer the question a task stopped with.",
    "resume": "Go on with a run that was cut off.",
    "review": "List or show runs that wait for a person's approval.",
    "run": "Carry out one instruction.",
    "runs": "List the runs of a project with their status.",
    "start": "Begin a session.",
    "status": "Show how a session or a run stands.",
    "undo": "Put the files back as they were before a task.",
    "validate": "Check the project's settings.",
    "watch": "Follow a task or a run until it ends.",
}


class LazyGroup(click.Group):
    """A group whose commands live in `cli/commands/<name>.py` as `command`."""

    @override
    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    @override
    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        # `continue` is a word of Python and cannot be a module's name.
        name = f"{cmd_name}_" if keyword.iskeyword(cmd_name) else cmd_name
        module = importlib.import_module(f"pm_orchestrator.cli.commands.{name}")
        command: click.Command = module.command
        return command

    @override
    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    @override
    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem]":
        from click.shell_completion import CompletionItem

        # click would import every command to ask for its help; the table has it.
        names = [
            CompletionItem(name, help=text)
            for name, text in COMMANDS.items()
            if name.startswith(incomplete)
        ]
        return names + click.Command.shell_complete(self, ctx, incomplete)


@click.group(
    cls=LazyGroup,
    help="A small company of coding agents, and a Runner that proves what they did.\n\n"
    "Exit codes: 0 complete, 1 error, 2 incomplete.",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(message="pm-orchestrator %(version)s", package_name="pm-orchestrator")
def program() -> None:
    """The group itself does nothing."""


def run(arguments: Sequence[str]) -> int:
    """Run one command line; the result is the exit code, and it tells the truth."""
    if not arguments and sys.stdin.isatty() and sys.stdout.isatty():
        # Somebody sits there and wants to work; a script without arguments is a mistake.
        arguments = ["repl"]
    try:
        result: object = program.main(
            args=list(arguments), prog_name="pm-orchestrator", standalone_mode=False
        )
    except click.exceptions.NoArgsIsHelpError as shown:
        sys.stdout.write(shown.format_message() + "\n")
        return EXIT_ERROR
    except click.ClickException as mistake:
        sys.stderr.write(f"ERROR E210: {mistake.format_message()}\n{_hint(mistake)}\n")
        return EXIT_ERROR
    except (click.Abort, KeyboardInterrupt):
        sys.stderr.write(f"{say('interrupted', read_environment().lang or 'en')}\n")
        return EXIT_INCOMPLETE
    except Exception as bug:  # noqa: BLE001 - nobody should have to read our traceback
        _tell_fault(bug)
        return EXIT_ERROR
    return result if isinstance(result, int) else 0


def _tell_fault(bug: Exception) -> None:
    """A fault that came before the command could take care of its own."""
    from pm_orchestrator.evidence.masking import Masker
    from pm_orchestrator.runner.faults import program_fault

    fault = program_fault(bug)
    sys.stderr.write(f"ERROR {Masker().mask(str(fault)).text}\nHINT: {fault.hint()}\n")


def _hint(mistake: click.ClickException) -> str:
    context = mistake.ctx if isinstance(mistake, click.UsageError) else None
    path = context.command_path if context is not None else "pm-orchestrator"
    return f"HINT: see `{path} --help`."
