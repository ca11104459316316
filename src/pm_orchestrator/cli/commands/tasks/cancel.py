"""`cancel`: end a running task, here or in another process."""

from pathlib import Path

import click

from pm_orchestrator.bootstrap.opening import open_project
from pm_orchestrator.cli.command_end import stopped
from pm_orchestrator.cli.id_completion import complete_tasks
from pm_orchestrator.cli.invocation import (
    Invocation,
    invocation,
    json_option,
    project_option,
    run_async,
)
from pm_orchestrator.domain.catalogue.messages import say
from pm_orchestrator.runner.records.task_result import task_result
from pm_orchestrator.runner.tasks.cancel import cancel_task


@click.command()
@click.argument("task", shell_complete=complete_tasks)
@json_option
@project_option
@invocation
def command(call: Invocation, task: str, project: Path, *, as_json: bool) -> int:
    """Stop TASK with everything it has started, as Ctrl-C where it runs would.

    Its work is kept, and its log is closed when this returns.
    """

    async def work() -> int:
        opened = await open_project(call.environment, project)
        log = await cancel_task(opened, task)
        if as_json:
            call.screen.data(stopped(task_result(log), log, 0))
        else:
            call.screen.line(say("cancelled", call.lang, task=log.task_id))
        return 0

    return run_async(work())
