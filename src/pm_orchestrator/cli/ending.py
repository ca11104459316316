"""The end of a task on the screen: the verdict, and below it what it was like."""

from typing import TYPE_CHECKING

from pm_orchestrator.cli.pages.summary import SummaryFormat, summary_paint
from pm_orchestrator.cli.pages.task_page import cure_if_any, end_page
from pm_orchestrator.cli.terminal.screen import Screen
from pm_orchestrator.domain.catalogue.repl_texts import tell
from pm_orchestrator.domain.history.report import RunResult
from pm_orchestrator.runner.project.project import Project

if TYPE_CHECKING:
    from pm_orchestrator.cli.pages.ends.end_details import EndTold


def show_end(screen: Screen, project: Project, end: RunResult, form: SummaryFormat) -> None:
    """Print all of it; in a pipe the same, without colour and as wide as it is.

    Of the plain form a program reads every line of stdout, so the rest goes beside it there.
    """
    page = end_page(end, project.paths.root, form, screen.lang, screen.spelling)
    screen.page(page, summary_paint)
    # A summary in plain form has room for commands alone.
    helps = cure_if_any(end, end.reason, screen.lang) if form == "plain" else None
    show_details(screen, end.task_id, end, form, helps)


def show_details(
    screen: Screen,
    task_id: str,
    end: "EndTold",
    form: SummaryFormat = "block",
    helps: str | None = None,
) -> None:
    """What stands below the verdict; `helps` is what would, where the verdict does not say."""
    from pm_orchestrator.cli.pages.ends.end_details import details_paint, end_details

    logs, diff = (screen.spelling.call(f"{name} {task_id}") for name in ("logs", "diff"))
    lines = end_details(end, screen.lang, screen.width(), logs, diff)
    if helps is not None:
        lines.insert(0, f"  {tell('end_cure', screen.lang, cure=screen.spelling.of(helps))}")
    if not lines:
        return
    page = "\n".join(["", *lines])
    if form == "plain" and not screen.is_terminal():
        screen.aside(page)
    else:
        screen.page(page, details_paint)
