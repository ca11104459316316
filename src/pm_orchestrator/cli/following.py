"""Following a task on the screen until it ends, for the command and the REPL alike."""

from collections.abc import Callable
from datetime import datetime

from pm_orchestrator.cli.ending import show_details
from pm_orchestrator.cli.pages.summary import summary_paint
from pm_orchestrator.cli.pages.watch_page import end_text, happening_text
from pm_orchestrator.cli.terminal.live_progress import LiveProgress
from pm_orchestrator.cli.terminal.screen import Screen
from pm_orchestrator.domain.catalogue.watch_texts import watch_say
from pm_orchestrator.runner.project.looking import run_watch
from pm_orchestrator.runner.project.project import Project
from pm_orchestrator.runner.sessions.run_watch import FromRun, Happening, Watched, WatchEnd
from pm_orchestrator.runner.tasks.end_on_record import end_on_record

Show = Callable[[Happening], None]


class Following:
    """One task, or one run of it, on one screen."""

    def __init__(self, project: Project, screen: Screen, watched: Watched) -> None:
        self._project = project
        self._screen = screen
        self._watched = watched

    def announce(self) -> None:
        """What is watched, and whether anything of it is still to come."""
        run, task = self._watched.run.run_id, self._watched.log_id or "-"
        key = "watching_past" if self._watched.is_over else "watching"
        self._screen.aside(watch_say(key, self._screen.lang, run=run, task=task))

    async def as_data(self, *, full: bool) -> WatchEnd:
        """Print every happening as one line of JSON."""
        return await self._to_its_end(self._screen.row, full=full)

    async def for_people(self, *, full: bool) -> WatchEnd:
        """As the work itself is shown where it is done, or line by line what is over."""
        if full or self._watched.is_over or not self._screen.is_terminal():
            return await self.in_lines(full=full)
        folded = self._project.settings.ui.stream == "folded"
        began = datetime.fromisoformat(self._watched.run.started_at)
        ago = (self._project.clock.now() - began).total_seconds()
        with LiveProgress(self._screen, folded=folded, ago=ago) as progress:

            def show(happening: Happening) -> None:
                if isinstance(happening, FromRun):
                    progress.show(happening.event)

            end = await self._to_its_end(show)
        await self._show_end(end)
        return end

    async def in_lines(self, *, full: bool = False) -> WatchEnd:
        """A line about each happening, with the time of day."""
        screen = self._screen

        def show(happening: Happening) -> None:
            if isinstance(happening, WatchEnd):
                return
            if text := happening_text(happening, screen.lang):
                screen.line(text)

        end = await self._to_its_end(show, full=full)
        await self._show_end(end)
        return end

    async def _to_its_end(self, show: Show, *, full: bool = False) -> WatchEnd:
        async for happening in run_watch(self._project).follow(self._watched, full=full):
            show(happening)
            if isinstance(happening, WatchEnd):
                return happening
        raise AssertionError("what is watched always ends with its end")

    async def _show_end(self, end: WatchEnd) -> None:
        self._screen.page(end_text(end, self._screen.lang), summary_paint)
        if end.task_id is None:
            return
        log = self._project.book.read(end.session_id, end.task_id)
        told = await end_on_record(self._project, log)
        if told is not None:
            show_details(self._screen, end.task_id, told)
