"""`runs`: every run of a project, company and solo, with how it stands."""

from pathlib import Path

import click

from pm_orchestrator.bootstrap.opening import open_project
from pm_orchestrator.cli.invocation import (
    Invocation,
    invocation,
    json_option,
    project_option,
    run_async,
)
from pm_orchestrator.cli.pages.watch_page import runs_page
from pm_orchestrator.runner.project.looking import runs_of


@click.command()
@json_option
@project_option
@invocation
def command(call: Invocation, project: Path, *, as_json: bool) -> int:
    """List the runs of all sessions, the latest last; with --json all of them."""

    async def work() -> int:
        runs = runs_of(await open_project(call.environment, project))
        if as_json:
            call.screen.data(runs)
        else:
            call.screen.line(runs_page(runs, call.lang, call.screen.width()))
        return 0

    return run_async(work())
