"""`start`: begin a session."""

from pathlib import Path

import click

from pm_orchestrator.bootstrap.opening import open_project
from pm_orchestrator.cli.cut_off import tell_cut_off
from pm_orchestrator.cli.invocation import (
    Invocation,
    invocation,
    json_option,
    project_option,
    run_async,
)
from pm_orchestrator.cli.pages.session_page import session_page
from pm_orchestrator.runner.project.selecting import start_selected_session
from pm_orchestrator.runner.sessions.session_view import view


@click.command()
@click.argument("path", required=False, type=click.Path(path_type=Path))
@json_option
@project_option
@invocation
def command(call: Invocation, path: Path | None, project: Path, *, as_json: bool) -> int:
    """Begin a session in PATH, or in the project."""

    async def work() -> int:
        opened = await open_project(call.environment, path or project)
        await tell_cut_off(call.screen, opened)
        session = await start_selected_session(opened)
        await session.leave()
        shown = view(opened.book, session.session_id)
        if as_json:
            call.screen.data(shown)
        else:
            call.screen.line(session_page(shown))
        return 0

    return run_async(work())
