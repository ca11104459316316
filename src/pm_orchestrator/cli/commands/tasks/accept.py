"""`accept`: a person settles what the Runner could not prove either way."""

from pathlib import Path

import click

from pm_orchestrator.bootstrap.acceptance import accept_task
from pm_orchestrator.bootstrap.application import open_application
from pm_orchestrator.cli.id_completion import complete_tasks
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
@click.argument("task", shell_complete=complete_tasks)
@click.option(
    "--gate",
    help="Accept only this: a gate's name, dilution, limits, secrets or tree; all by default.",
)
@json_option
@project_option
@invocation
def command(call: Invocation, task: str, gate: str | None, project: Path, *, as_json: bool) -> int:
    """Accept what keeps TASK from being complete, where that is for a person to decide."""

    async def work() -> int:
        app = await open_application(call.environment, project)
        end = await accept_task(app, task, gate=gate)
        show_end(call.screen, end, as_json=as_json, app=app)
        return exit_code(end.status)

    return run_async(work())
