"""`continue`: go on with what an approved session has unfinished."""

from pathlib import Path

import click

from pm_orchestrator.bootstrap.application import open_application
from pm_orchestrator.bootstrap.sessions import owned, recovered
from pm_orchestrator.bootstrap.solo import continue_solo
from pm_orchestrator.cli.invocation import (
    Invocation,
    invocation,
    json_option,
    project_option,
    run_async,
)
from pm_orchestrator.cli.progress import progress_on
from pm_orchestrator.cli.task_page import show_end
from pm_orchestrator.domain.status import exit_code


@click.command()
@click.argument("session")
@click.option("--model", help="The model the executor uses.")
@json_option
@project_option
@invocation
def command(
    call: Invocation, session: str, model: str | None, project: Path, *, as_json: bool
) -> int:
    """Go on with the unfinished task of SESSION, after `approve SESSION`."""

    async def work() -> int:
        app = await open_application(call.environment, project)
        await recovered(app)
        async with owned(app, session) as mine:
            with progress_on(call.screen, quiet=as_json) as progress:
                end = await continue_solo(app, mine, model=model, watch=progress.show)
        show_end(call.screen, end, as_json=as_json)
        return exit_code(end.status)

    return run_async(work())
