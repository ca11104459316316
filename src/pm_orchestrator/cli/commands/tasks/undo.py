"""`undo`: the files as they were before a task, and back again."""

from pathlib import Path

import click

from pm_orchestrator.bootstrap.opening import open_project
from pm_orchestrator.cli.id_completion import complete_tasks
from pm_orchestrator.cli.invocation import (
    Invocation,
    invocation,
    json_option,
    project_option,
    run_async,
)
from pm_orchestrator.cli.pages.undo_page import undo_page
from pm_orchestrator.runner.tasks.undo import undo_task


@click.command()
@click.argument("task", shell_complete=complete_tasks)
@json_option
@project_option
@invocation
def command(call: Invocation, task: str, project: Path, *, as_json: bool) -> int:
    """Put the project's files back as they were before TASK; again, to bring its work back.

    Everything that changed since then goes, later tasks included; it is saved first.
    Ignored files, commits and branches stay as they are.
    """

    async def work() -> int:
        opened = await open_project(call.environment, project)
        end = await undo_task(opened, task)
        if as_json:
            call.screen.data(end)
        else:
            call.screen.line("\n".join(undo_page(end, call.lang)))
        return 0

    return run_async(work())
