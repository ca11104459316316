"""`continue`: go on with what an approved session has unfinished."""

from pathlib import Path

import click

from pm_orchestrator.bootstrap.opening import open_project
from pm_orchestrator.cli.attending import TaskCommand
from pm_orchestrator.cli.id_completion import complete_sessions
from pm_orchestrator.cli.invocation import (
    Invocation,
    invocation,
    json_option,
    project_option,
    run_async,
)
from pm_orchestrator.runner.project.crew import TaskOptions
from pm_orchestrator.runner.project.project_sessions import owned, recovered


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
        opened = await open_project(call.environment, project)
        await recovered(opened)
        async with owned(opened, session) as mine:
            options = TaskOptions(model=model)
            task = TaskCommand(opened, call.screen, options=options, as_json=as_json, session=mine)
            return await task.go_on(mine)

    return run_async(work())
