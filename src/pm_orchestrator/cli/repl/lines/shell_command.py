"""`! command`: what a person does themselves in the project directory, between two tasks."""

from pm_orchestrator.cli.repl.conversation import Conversation
from pm_orchestrator.cli.repl.lines.our_answers import SHELL
from pm_orchestrator.cli.terminal.text_width import plain_line
from pm_orchestrator.domain.catalogue.repl_texts import tell
from pm_orchestrator.domain.errors import PmError


async def run_shell_line(conversation: Conversation, line: str) -> None:
    """Run what stands behind the mark, and show what it prints.

    Raises:
        PmError: E210 for nothing at all, E901 without a shell.
    """
    from pm_orchestrator.bootstrap.arrival.own_shell import run_in_shell
    from pm_orchestrator.gates.judge.gate_run import ESCAPES

    command, screen = line.removeprefix(SHELL).strip(), conversation.screen
    if not command:
        raise PmError("slash_usage", command=SHELL, usage=f"{SHELL} ls -la")

    def show(text: str) -> None:
        # Of a line that is written over again and again, the last form counts.
        uncoloured = ESCAPES.sub("", text).replace("\r\n", "\n")
        lines = (line.rsplit("\r", 1)[-1].expandtabs() for line in uncoloured.split("\n"))
        screen.line("\n".join(map(plain_line, lines)))

    ended = await run_in_shell(conversation.environment, conversation.project, command, show)
    if ended.exit_code:
        screen.aside(tell("shell_failed", screen.lang, code=ended.exit_code))
