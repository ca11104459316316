"""All slash commands, in the order of `/help`, and the one way from a line to its work."""

import unicodedata

from pm_orchestrator.cli.repl.commands.decisions import ACCEPT, REPLY, UNDO
from pm_orchestrator.cli.repl.commands.help import EXIT, help_on
from pm_orchestrator.cli.repl.commands.init import INIT
from pm_orchestrator.cli.repl.commands.keys import KEYS
from pm_orchestrator.cli.repl.commands.limits import LIMITS
from pm_orchestrator.cli.repl.commands.models import MODEL, MODELS
from pm_orchestrator.cli.repl.commands.provider import PROVIDER
from pm_orchestrator.cli.repl.commands.sessions import APPROVE, CONTINUE, NEW, START, STATUS
from pm_orchestrator.cli.repl.commands.tasks import DIFF, LOGS, TASKS
from pm_orchestrator.cli.repl.commands.watching import RUNS, WATCH
from pm_orchestrator.cli.repl.conversation import Conversation
from pm_orchestrator.cli.repl.slash_command import SlashCommand
from pm_orchestrator.domain.errors import PmError

COMMANDS: dict[str, SlashCommand] = {}
COMMANDS.update(
    (command.name, command)
    for command in (
        help_on(COMMANDS),
        INIT,
        PROVIDER,
        MODELS,
        KEYS,
        LOGS,
        DIFF,
        MODEL,
        START,
        CONTINUE,
        NEW,
        STATUS,
        TASKS,
        APPROVE,
        REPLY,
        ACCEPT,
        UNDO,
        LIMITS,
        WATCH,
        RUNS,
        EXIT,
    )
)


MEANT_EXIT = ("ERROR: Did you mean /exit?", "HINT: /exit")
"""Word for word, in every language."""


async def dispatch(conversation: Conversation, line: str) -> None:
    """Run one line of input: a command, or an instruction in plain words.

    Raises:
        PmError: E209 for what is no command, E101 where there is no project yet, and
            whatever the command itself cannot do.
    """
    _refuse_control_characters(line)
    if line.strip().lower() == "exit":
        conversation.fail_with(*MEANT_EXIT)
        return
    if not line.startswith("/"):
        _ = conversation.opened
        await conversation.work(line)
        return
    name, _, rest = line.partition(" ")
    command = COMMANDS.get(name)
    if command is None:
        raise PmError("unknown_command", command=name)
    if not command.before_init:
        _ = conversation.opened
    if rest.strip() and not command.arguments:
        raise PmError("slash_no_argument", command=name)
    await command.run(conversation, rest.strip())


def _refuse_control_characters(line: str) -> None:
    """No program can be asked for with a NUL, and nobody types an escape sequence."""
    for character in line:
        if unicodedata.category(character) in {"Cc", "Cs"} and character not in "\t\n":
            raise PmError("line_not_text", reason=f"it contains {character!r}")
