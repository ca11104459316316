"""`accept`: a person settles what the Runner could not prove either way."""

from pathlib import Path

import click

from pm_orchestrator.bootstrap.opening import open_project
from pm_orchestrator.cli.attending import TaskCommand
from pm_orchestrator.cli.id_completion import complete_tasks
from pm_orchestrator.cli.invocation import (
    Invocation,
    invocation,
    json_option,
    project_option,
    run_async,
)
from pm_orchestrator.domain.tasks.status import exit_code
from pm_orchestrator.runner.tasks.accept import accept_task


@click.command()
@click.argument("task", shell_complete=complete_tasks)
@click.option(
    "--gate",
    help="Accept only this: a gate's name, asked, parts, time, dilution, limits, secrets or tree.",
)
@json_option
@project_option
@invocation
def command(call: Invocation, task: str, gate: str | None, project: Path, *, as_json: bool) -> int:
    """Accept what keeps TASK from being complete, where that is for a person to decide."""

    async def work() -> int:
        opened = await open_project(call.environment, project)
        end = await accept_task(opened, task, gate=gate)
        TaskCommand(opened, call.screen, as_json=as_json).show(end)
        return exit_code(end.status)

    return run_async(work())
