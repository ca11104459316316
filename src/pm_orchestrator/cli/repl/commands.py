"""The slash commands: each a small object with a name, a help line and a run."""

from collections.abc import Awaitable, Callable

import msgspec

from pm_orchestrator.cli.log_pages import log_table, task_page, tasks_page
from pm_orchestrator.cli.repl.conversation import Conversation
from pm_orchestrator.domain.errors import PmError


class SlashCommand(msgspec.Struct, frozen=True):
    """One command; `run` gets the conversation and the rest of the line."""

    name: str
    help: str
    run: Callable[[Conversation, str], Awaitable[None]]


async def _help(conversation: Conversation, _: str) -> None:
    for command in COMMANDS.values():
        conversation.screen.line(f"{command.name:<10} {command.help}")


async def _start(conversation: Conversation, _: str) -> None:
    session = await conversation.start()
    conversation.screen.line(f"session_id: {session}")
    conversation.screen.line("overall_status: INCOMPLETE")
    conversation.screen.line(f"evidence_path: {conversation.app.paths.claude / 'evidence'}")
    conversation.screen.line("next_action: true")


async def _tasks(conversation: Conversation, _: str) -> None:
    entries = conversation.app.book.entries(conversation.current_session())
    conversation.screen.line(tasks_page(entries))


async def _logs(conversation: Conversation, wanted: str) -> None:
    session = conversation.current_session()
    if wanted:
        page = task_page(conversation.app.book.read(session, wanted))
    else:
        page = log_table(session, conversation.app.book.entries(session))
    conversation.screen.line(page)


async def _exit(conversation: Conversation, _: str) -> None:
    conversation.finished = True


COMMANDS: dict[str, SlashCommand] = {
    command.name: command
    for command in (
        SlashCommand("/help", "list the commands", _help),
        SlashCommand("/start", "begin a session", _start),
        SlashCommand("/tasks", "list the tasks of the session", _tasks),
        SlashCommand("/logs", "list the logs, or show one: /logs ID", _logs),
        SlashCommand("/exit", "leave", _exit),
    )
}


async def dispatch(conversation: Conversation, line: str) -> None:
    """Run one line of input: a command, or an instruction in plain words."""
    if not line.startswith("/"):
        await conversation.work(line)
        return
    name, _, rest = line.partition(" ")
    command = COMMANDS.get(name)
    if command is None:
        raise PmError("unknown_command", command=name)
    await command.run(conversation, rest.strip())
