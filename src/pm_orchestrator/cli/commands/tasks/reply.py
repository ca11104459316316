"""`reply`: answer the question a task stopped with."""

from pathlib import Path
from typing import Unpack

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
from pm_orchestrator.cli.task_options import TaskHow, how_options, options_for
from pm_orchestrator.runner.tasks.run_task import reply_task


@click.command()
@click.argument("task", shell_complete=complete_tasks)
@click.argument("text")
@how_options
@json_option
@project_option
@invocation
def command(
    call: Invocation, task: str, text: str, project: Path, *, as_json: bool, **how: Unpack[TaskHow]
) -> int:
    """Answer TASK with TEXT; the task goes on under its id."""

    async def work() -> int:
        opened = await open_project(call.environment, project)
        options = options_for(how)
        answered = TaskCommand(opened, call.screen, options=options, as_json=as_json)
        return await answered.run(lambda options: reply_task(opened, task, text, **options))

    return run_async(work())
