"""`continue`: go on with what an approved session has unfinished."""

from pathlib import Path

import click

from pm_orchestrator.bootstrap.application import open_application
from pm_orchestrator.bootstrap.crew import TaskOptions
from pm_orchestrator.bootstrap.sessions import owned, recovered
from pm_orchestrator.cli.attended import AttendedTask
from pm_orchestrator.cli.id_completion import complete_sessions
from pm_orchestrator.cli.invocation import (
    Invocation,
    invocation,
    json_option,
    project_option,
    run_async,
)
from pm_orchestrator.cli.pages.task_page import show_end
from pm_orchestrator.domain.tasks.status import exit_code


@click.command()
@click.argument("session", shell_complete=complete_sessions)
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
            options = TaskOptions(model=model)
            attended = AttendedTask(
                app, call.screen, options=options, as_json=as_json, session=mine
            )
            end = await attended.run(await attended.going_on(mine))
        show_end(call.screen, end, as_json=as_json, app=app)
        return exit_code(end.status)

    return run_async(work())
