"""`reply`: answer the question a task stopped with."""

from pathlib import Path

import click

from pm_orchestrator.bootstrap.application import open_application
from pm_orchestrator.bootstrap.solo import reply_solo
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
@click.argument("task")
@click.argument("text")
@click.option("--model", help="The model the executor uses.")
@json_option
@project_option
@invocation
def command(
    call: Invocation, task: str, text: str, model: str | None, project: Path, *, as_json: bool
) -> int:
    """Answer TASK with TEXT; the task goes on under its id."""

    async def work() -> int:
        app = await open_application(call.environment, project)
        with progress_on(call.screen, quiet=as_json) as progress:
            end = await reply_solo(app, task, text, model=model, watch=progress.show)
        show_end(call.screen, end, as_json=as_json)
        return exit_code(end.status)

    return run_async(work())
