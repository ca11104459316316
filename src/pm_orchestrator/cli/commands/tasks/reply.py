"""`reply`: answer the question a task stopped with."""

from pathlib import Path

import click

from pm_orchestrator.bootstrap.application import open_application
from pm_orchestrator.bootstrap.crew import TaskOptions
from pm_orchestrator.bootstrap.tasks import reply_task
from pm_orchestrator.cli.attended import AttendedTask
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
        options = TaskOptions(model=model)
        attended = AttendedTask(app, call.screen, options=options, as_json=as_json)
        end = await attended.run(lambda options: reply_task(app, task, text, **options))
        show_end(call.screen, end, as_json=as_json, app=app)
        return exit_code(end.status)

    return run_async(work())
