"""`continue`: go on with what an approved session has unfinished."""

from pathlib import Path
from typing import Unpack

import click

from pm_orchestrator.bootstrap.opening import open_project
from pm_orchestrator.cli.attending import TaskCommand
from pm_orchestrator.cli.cut_off import tell_cut_off
from pm_orchestrator.cli.id_completion import complete_sessions
from pm_orchestrator.cli.invocation import (
    Invocation,
    invocation,
    json_option,
    project_option,
    run_async,
)
from pm_orchestrator.cli.task_options import TaskHow, how_options, options_for
from pm_orchestrator.runner.project.project_sessions import owned


@click.command()
@click.argument("session", shell_complete=complete_sessions)
@how_options
@json_option
@project_option
@invocation
def command(
    call: Invocation, session: str, project: Path, *, as_json: bool, **how: Unpack[TaskHow]
) -> int:
    """Go on with the unfinished task of SESSION, after `approve SESSION`."""

    async def work() -> int:
        opened = await open_project(call.environment, project)
        await tell_cut_off(call.screen, opened)
        async with owned(opened, session) as mine:
            options = options_for(how)
            task = TaskCommand(opened, call.screen, options=options, as_json=as_json, session=mine)
            return await task.go_on(mine)

    return run_async(work())
