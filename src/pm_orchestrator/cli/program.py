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
from pm_orchestrator.cli.spoken_help import (
    SpokenContext,
    asked_language,
    in_both_languages,
    language_option,
)
from pm_orchestrator.domain.catalogue.messages import say
from pm_orchestrator.domain.tasks.status import EXIT_ERROR, EXIT_INCOMPLETE

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

ROOMS: dict[str, dict[str, str]] = {
    "tasks": {
        "run": "Carry out one instruction.",
        "reply": "Answer a task's question, or say what it still needs.",
        "continue": "Go on with an approved session's unfinished task.",
        "resume": "Go on with a run that was cut off.",
        "cancel": "Stop a running task, here or in another process.",
        "accept": "Settle what keeps a finished task from being complete.",
        "undo": "Put the files back as they were before a task.",
    },
    "sessions": {
        "start": "Begin a session.",
        "approve": "Allow an unfinished session to go on.",
        "status": "Show how a session or a run stands.",
        "repl": "Work in a conversation, or run a script of commands.",
    },
    "reading": {
        "logs": "Show the tasks of a project and their logs.",
        "diff": "Show what a task changed.",
        "runs": "List the runs of a project with their status.",
        "watch": "Follow a task or a run until it ends.",
        "evidence": "Verify or show what the Runner recorded.",
        "review": "List or show runs that wait for a person's approval.",
    },
    "setup": {
        "init": "Make a directory a project.",
        "validate": "Check the project's settings.",
        "doctor": "Check whether everything is there that work needs.",
        "sandbox": "Look into the sandboxes that workers get.",
        "prune": "Take away raw logs that are older than they are kept.",
        "completion": "Print the script for completion in your shell.",
        "demo": "See a whole run on a sample project: no key, no network.",
        "bench": "Measure the product against its own limits, as ratios.",
    },
}
"""Each folder of `cli/commands` with what is in it, and what it is good for."""
COMMANDS = {name: line for room in ROOMS.values() for name, line in room.items()}


def module_of(command: str) -> str:
    """The module that holds a command."""
    room = next(room for room, commands in ROOMS.items() if command in commands)
    # `continue` is a word of Python and cannot be a module's name.
    name = f"{command}_" if keyword.iskeyword(command) else command
    return f"pm_orchestrator.cli.commands.{room}.{name}"


class LazyGroup(click.Group):
    """A group whose commands live in `cli/commands/<room>/<name>.py` as `command`."""

    context_class = SpokenContext

    @override
    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    @override
    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(module_of(cmd_name)).command
        return in_both_languages(command)

    @override
    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(sorted(COMMANDS.items()))

    @override
    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem]":
        from click.shell_completion import CompletionItem

        from pm_orchestrator.domain.catalogue.help_texts import help_in

        # click would import every command to ask for its help; the table has it.
        lang = read_environment().lang or "en"
        names = [
            CompletionItem(name, help=help_in(lang, text))
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
@language_option
def program() -> None:
    """The group itself does nothing."""


def run(arguments: Sequence[str]) -> int:
    """Run one command line; the result is the exit code, and it tells the truth."""
    if not arguments and sys.stdin.isatty() and sys.stdout.isatty():
        # Somebody sits there and wants to work; a script without arguments is a mistake.
        arguments = ["repl"]
    try:
        result: object = program.main(
            args=list(arguments),
            prog_name="pm-orchestrator",
            standalone_mode=False,
            obj=asked_language(arguments),
        )
    except click.exceptions.NoArgsIsHelpError as shown:
        sys.stdout.write(shown.format_message() + "\n")
        return EXIT_ERROR
    except click.ClickException as mistake:
        what, hint = mistake.format_message(), _hint(mistake)
        _say_masked(f"ERROR E210: {what}\nHINT: {hint}")
        if "--json" in arguments:
            _tell_misuse(what, hint)
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
    from pm_orchestrator.runner.faults import program_fault

    fault = program_fault(bug)
    _say_masked(f"ERROR {fault}\nHINT: {fault.hint()}")


def _say_masked(text: str) -> None:
    sys.stderr.write(f"{read_environment().masker.mask(text).text}\n")


def _hint(mistake: click.ClickException) -> str:
    context = mistake.ctx if isinstance(mistake, click.UsageError) else None
    path = context.command_path if context is not None else "pm-orchestrator"
    return f"see `{path} --help`."


def _tell_misuse(what: str, hint: str) -> None:
    """For a program that reads: the same shape as every other end."""
    from pm_orchestrator.cli.command_end import misused
    from pm_orchestrator.cli.terminal.screen import Screen

    environment = read_environment()
    Screen(environment.lang, environment.masker).row(misused(what, hint))
