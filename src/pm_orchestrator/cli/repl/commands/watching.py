"""`/watch` and `/runs`: what goes on, here or in another process."""

from collections.abc import Iterable

from pm_orchestrator.cli.repl.conversation import Conversation
from pm_orchestrator.cli.repl.slash_command import SlashCommand


async def _watch(conversation: Conversation, wanted: str) -> None:
    from pm_orchestrator.cli.following import Following
    from pm_orchestrator.runner.project.looking import run_watch

    watched = run_watch(conversation.opened).find(wanted or None)
    await Following(conversation.opened, conversation.screen, watched).in_lines()


async def _runs(conversation: Conversation, _: str) -> None:
    from pm_orchestrator.cli.pages.watch_page import runs_page
    from pm_orchestrator.runner.project.looking import runs_of

    screen = conversation.screen
    screen.line(runs_page(runs_of(conversation.opened), screen.lang, screen.width()))


def _ids(conversation: Conversation, text: str) -> Iterable[str]:
    book = conversation.opened.book
    session = book.latest_session()
    entries = book.entries(session) if session is not None else ()
    ids = (name for e in reversed(entries) for name in (e.external_task_id, e.run_id))
    return (name for name in dict.fromkeys(ids) if name.startswith(text))


WATCH = SlashCommand(name="/watch", run=_watch, arguments="[task]", complete=_ids)
RUNS = SlashCommand(name="/runs", run=_runs)
