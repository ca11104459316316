"""`status`: how a session or a run stands."""

from pathlib import Path

import click

from pm_orchestrator.bootstrap.opening import open_project
from pm_orchestrator.cli.id_completion import complete_sessions_and_runs
from pm_orchestrator.cli.invocation import (
    Invocation,
    invocation,
    json_option,
    project_option,
    run_async,
)
from pm_orchestrator.cli.pages.session_page import session_page
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.runner.project.results import view_with_report


@click.command()
@click.argument(
    "what",
    metavar="[SESSION|RUN]",
    required=False,
    shell_complete=complete_sessions_and_runs,
)
@json_option
@project_option
@invocation
def command(call: Invocation, what: str | None, project: Path, *, as_json: bool) -> int:
    """Show a session or a run; the latest session by default."""

    async def work() -> int:
        opened = await open_project(call.environment, project)
        wanted = what or opened.book.latest_session()
        if wanted is None:
            raise PmError("session_unknown", session="-")
        shown = view_with_report(opened, wanted)
        if as_json:
            call.screen.data(shown)
        else:
            call.screen.line(session_page(shown))
        return 0

    return run_async(work())
