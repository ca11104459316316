"""`/start`, `/continue`, `/status`, `/approve`: the session in use."""

from pm_orchestrator.cli.pages.session_page import selection_lines, session_page
from pm_orchestrator.cli.repl.conversation import Conversation
from pm_orchestrator.cli.repl.slash_command import SlashCommand
from pm_orchestrator.domain.catalogue.messages import say
from pm_orchestrator.domain.catalogue.repl_texts import tell


async def _start(conversation: Conversation, _: str) -> None:
    session = await conversation.start()
    conversation.screen.line(f"session_id: {session.session_id}")
    conversation.screen.line("overall_status: INCOMPLETE")
    conversation.screen.line(f"evidence_path: {conversation.opened.paths.claude / 'evidence'}")
    conversation.screen.line("next_action: true")
    if session.state is not None:
        conversation.screen.line("\n".join(selection_lines(session.state)))


async def _continue(conversation: Conversation, session_id: str) -> None:
    # Only a person sees which one was left, and says by asking that it may go on.
    named = session_id if conversation.ui.attended else CONTINUE.require(session_id)
    await conversation.go_on(named or None)


async def _new(conversation: Conversation, _: str) -> None:
    conversation.forget()
    conversation.screen.line(tell("new_conversation", conversation.screen.lang))


async def _status(conversation: Conversation, _: str) -> None:
    from pm_orchestrator.runner.sessions.session_view import view

    book, session_id = conversation.looked_at()
    conversation.screen.line(session_page(view(book, session_id)))


async def _approve(conversation: Conversation, session_id: str) -> None:
    from pm_orchestrator.runner.project.project_sessions import approve_session

    taken = conversation.take(session_id) if session_id else None
    session = conversation.current_session() if taken is None else await taken
    task = await approve_session(conversation.opened, session)
    lang, name = conversation.screen.lang, session.session_id
    conversation.screen.line(say("approved", lang, session=name, task=task))


START = SlashCommand(name="/start", run=_start)
CONTINUE = SlashCommand(name="/continue", run=_continue, arguments="[session]")
NEW = SlashCommand(name="/new", run=_new)
STATUS = SlashCommand(name="/status", run=_status)
APPROVE = SlashCommand(name="/approve", run=_approve, arguments="[session]")
