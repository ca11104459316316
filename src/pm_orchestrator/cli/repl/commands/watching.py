"""`/watch` and `/runs`: what goes on, here or in another process."""

from collections.abc import Iterable

from pm_orchestrator.cli.id_completion import run_ids
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


def _runs_too(conversation: Conversation, _text: str) -> Iterable[str]:
    logs = conversation.project / ".claude" / "logs"
    return dict.fromkeys(found.name for found in run_ids(logs))


WATCH = SlashCommand(name="/watch", run=_watch, arguments="[task]", complete=_runs_too)
RUNS = SlashCommand(name="/runs", run=_runs)
