"""`/reply`, `/accept`, `/undo`: what a person decides about a task."""

from pm_orchestrator.cli.pages.undo_page import undo_page
from pm_orchestrator.cli.repl.conversation import Conversation
from pm_orchestrator.cli.repl.slash_command import SlashCommand


async def _reply(conversation: Conversation, text: str) -> None:
    from pm_orchestrator.runner.sessions.session_view import view

    session = conversation.current_session()
    waiting = view(session.book, session.session_id).waiting_task_id
    # What asks nothing may still lack something, and these words say what.
    await conversation.reply(waiting or conversation.last_task(), REPLY.require(text))


async def _accept(conversation: Conversation, task: str) -> None:
    await conversation.accept(task or conversation.last_task())


async def _undo(conversation: Conversation, task: str) -> None:
    from pm_orchestrator.runner.tasks.undo import undo_task

    session = conversation.current_session()
    end = await undo_task(conversation.opened, UNDO.require(task), session)
    screen = conversation.screen
    screen.line(screen.spelling.of("\n".join(undo_page(end, screen.lang))))


REPLY = SlashCommand(name="/reply", run=_reply, arguments="<text>")
ACCEPT = SlashCommand(name="/accept", run=_accept, arguments="[task]")
UNDO = SlashCommand(name="/undo", run=_undo, arguments="<task>")
