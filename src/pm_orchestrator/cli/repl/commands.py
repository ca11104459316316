"""The slash commands: each a small object with a name, a help line and a run."""

from collections.abc import Awaitable, Callable

import msgspec

from pm_orchestrator.bootstrap.sessions import approve
from pm_orchestrator.bootstrap.undo import undo_task
from pm_orchestrator.cli.log_pages import log_table, task_page, tasks_page
from pm_orchestrator.cli.repl.conversation import Conversation
from pm_orchestrator.cli.session_page import session_page
from pm_orchestrator.cli.undo_page import show_undo
from pm_orchestrator.domain.catalogue.messages import say
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.runner.session_view import view


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
    conversation.screen.line(f"session_id: {session.session_id}")
    conversation.screen.line("overall_status: INCOMPLETE")
    conversation.screen.line(f"evidence_path: {conversation.app.paths.claude / 'evidence'}")
    conversation.screen.line("next_action: true")


async def _continue(conversation: Conversation, session_id: str) -> None:
    if not session_id:
        reason = "/continue needs the id of a session"
        raise PmError("bad_argument", reason=reason, command="continue")
    await conversation.go_on(session_id)


async def _status(conversation: Conversation, _: str) -> None:
    session = conversation.current_session()
    conversation.screen.line(session_page(view(session.book, session.session_id)))


async def _approve(conversation: Conversation, session_id: str) -> None:
    taken = conversation.take(session_id) if session_id else None
    session = conversation.current_session() if taken is None else await taken
    task = await approve(conversation.app, session)
    lang, name = conversation.screen.lang, session.session_id
    conversation.screen.line(say("approved", lang, session=name, task=task))


async def _reply(conversation: Conversation, text: str) -> None:
    session = conversation.current_session()
    waiting = view(session.book, session.session_id).waiting_task_id
    if waiting is None or not text:
        raise PmError("no_question", task=session.session_id)
    await conversation.reply(waiting, text)


async def _accept(conversation: Conversation, task: str) -> None:
    if not task:
        raise PmError("bad_argument", reason="/accept needs the id of a task", command="accept")
    await conversation.accept(task)


async def _undo(conversation: Conversation, task: str) -> None:
    if not task:
        raise PmError("bad_argument", reason="which task?", command="/undo")
    show_undo(
        conversation.screen, await undo_task(conversation.app, task, conversation.current_session())
    )


async def _tasks(conversation: Conversation, _: str) -> None:
    session = conversation.current_session()
    session.book.check(session.session_id)
    conversation.screen.line(tasks_page(session.book.entries(session.session_id)))


async def _logs(conversation: Conversation, wanted: str) -> None:
    session = conversation.current_session()
    if wanted:
        page = task_page(session.book.read(session.session_id, wanted))
    else:
        session.book.check(session.session_id)
        page = log_table(
            session.session_id,
            session.book.entries(session.session_id),
            lambda log: session.book.read(session.session_id, log),
        )
    conversation.screen.line(page)


async def _exit(conversation: Conversation, _: str) -> None:
    conversation.finished = True


COMMANDS: dict[str, SlashCommand] = {
    command.name: command
    for command in (
        SlashCommand("/help", "list the commands", _help),
        SlashCommand("/start", "begin a session", _start),
        SlashCommand("/continue", "go on with an approved session: /continue ID", _continue),
        SlashCommand("/status", "show how the session stands", _status),
        SlashCommand("/approve", "allow the session to go on", _approve),
        SlashCommand("/reply", "answer the question of the session", _reply),
        SlashCommand("/accept", "settle what keeps a task incomplete: /accept TASK", _accept),
        SlashCommand("/undo", "put the files back as before a task: /undo TASK", _undo),
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
