"""`/reply`, `/accept`, `/undo`: what a person decides about a task, the last one by default."""

import re

from pm_orchestrator.cli.pages.undo_page import undo_page
from pm_orchestrator.cli.repl.conversation import Conversation
from pm_orchestrator.cli.repl.slash_command import SlashCommand
from pm_orchestrator.cli.terminal.text_width import wrapped
from pm_orchestrator.domain.errors import PmError

TASK_ID = re.compile(r"task-\d+")


async def _reply(conversation: Conversation, text: str) -> None:
    from pm_orchestrator.runner.sessions.session_view import view

    named, _, rest = text.partition(" ")
    if TASK_ID.fullmatch(named) and rest.strip():
        await conversation.reply(named, rest.strip())
        return
    book, session_id = conversation.looked_at()
    waiting = view(book, session_id).waiting_task_id
    if waiting is None or not text:
        raise PmError("no_question", task=session_id)
    await conversation.reply(waiting, text)


async def _accept(conversation: Conversation, task: str) -> None:
    await conversation.accept(task or conversation.last_task())


async def _undo(conversation: Conversation, task: str) -> None:
    from pm_orchestrator.runner.tasks.undo import undo_task

    session = conversation.session if conversation.ui.attended else conversation.current_session()
    end = await undo_task(conversation.opened, task or conversation.last_task(), session)
    screen = conversation.screen
    for line in undo_page(end, screen.lang):
        spelt, width = screen.spelling.of(line), screen.width()
        screen.line(spelt if width is None else "\n".join(wrapped(spelt, width)))


REPLY = SlashCommand(name="/reply", run=_reply, arguments="[task] <text>")
ACCEPT = SlashCommand(name="/accept", run=_accept, arguments="[task]")
UNDO = SlashCommand(name="/undo", run=_undo, arguments="[task]")
