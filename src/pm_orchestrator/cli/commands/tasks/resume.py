"""`resume`: take up a run that was cut off."""

from pathlib import Path
from typing import Unpack

import click

from pm_orchestrator.bootstrap.opening import open_project
from pm_orchestrator.cli.attending import TaskCommand
from pm_orchestrator.cli.id_completion import complete_tasks_and_runs
from pm_orchestrator.cli.invocation import (
    Invocation,
    invocation,
    json_option,
    project_option,
    run_async,
)
from pm_orchestrator.cli.task_options import CapsHow, caps_for, caps_options
from pm_orchestrator.runner.project.crew import TaskOptions
from pm_orchestrator.runner.tasks.resume import resume_run


@click.command()
@click.argument("run", shell_complete=complete_tasks_and_runs)
@click.option(
    "--replay",
    type=click.Path(path_type=Path),
    help="Answer from a cassette instead of a provider.",
)
@caps_options
@json_option
@project_option
@invocation
def command(
    call: Invocation,
    run: str,
    replay: Path | None,
    project: Path,
    *,
    as_json: bool,
    **how: Unpack[CapsHow],
) -> int:
    """Go on with RUN after a crash, an outage or Ctrl-C; no finished step is done again.

    A finished run that could not be pushed is pushed now.
    """

    async def work() -> int:
        opened = await open_project(call.environment, project)
        options = TaskOptions(replay=replay, caps=caps_for(how))
        task = TaskCommand(opened, call.screen, options=options, as_json=as_json)
        return await task.run(lambda options: resume_run(opened, run, **options))

    return run_async(work())
