"""Following a task on the screen until it ends, for the command and the REPL alike."""

from collections.abc import AsyncIterator

from pm_orchestrator.cli.pages.watch_page import end_text, happening_text
from pm_orchestrator.cli.terminal.screen import Screen
from pm_orchestrator.domain.record import to_json
from pm_orchestrator.runner.sessions.run_watch import Happening, WatchEnd


async def show_happenings(
    screen: Screen, happenings: AsyncIterator[Happening], *, as_json: bool = False
) -> WatchEnd:
    """Print everything up to the end, which is returned."""
    async for happening in happenings:
        if as_json:
            screen.line(to_json(happening).decode())
        elif isinstance(happening, WatchEnd):
            screen.line(end_text(happening, screen.lang, screen.spelling))
        elif text := happening_text(happening, screen.lang):
            screen.line(text)
        if isinstance(happening, WatchEnd):
            return happening
    raise AssertionError("what is watched always ends with its end")
