"""`diff`: what a task changed."""

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
from pm_orchestrator.cli.pages.ends.diff_page import diff_page, diff_paint
from pm_orchestrator.runner.tasks.task_diff import diff_of


@click.command()
@click.argument("task", required=False, shell_complete=complete_tasks)
@json_option
@project_option
@invocation
def command(call: Invocation, task: str | None, project: Path, *, as_json: bool) -> int:
    """Show what TASK changed: the files, and their lines before and after; by default the last."""

    async def work() -> int:
        opened = await open_project(call.environment, project)
        diff = await diff_of(opened, task)
        if as_json:
            call.screen.data(diff)
        else:
            page = diff_page(diff, call.lang, for_terminal=call.screen.is_terminal())
            call.screen.page(page, diff_paint, wraps=False)
        return 0

    return run_async(work())
