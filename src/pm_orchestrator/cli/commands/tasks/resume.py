"""`resume`: take up a run that was cut off."""

from pathlib import Path

import click

from pm_orchestrator.bootstrap.application import open_application
from pm_orchestrator.bootstrap.crew import TaskOptions
from pm_orchestrator.bootstrap.resuming import resume_run
from pm_orchestrator.cli.attended import AttendedTask
from pm_orchestrator.cli.id_completion import complete_tasks_and_runs
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
@click.argument("run", shell_complete=complete_tasks_and_runs)
@click.option(
    "--replay",
    type=click.Path(path_type=Path),
    help="Answer from a cassette instead of a provider.",
)
@json_option
@project_option
@invocation
def command(
    call: Invocation, run: str, replay: Path | None, project: Path, *, as_json: bool
) -> int:
    """Go on with RUN after a crash, an outage or Ctrl-C; no finished step is done again.

    A finished run that could not be pushed is pushed now.
    """

    async def work() -> int:
        app = await open_application(call.environment, project)
        options = TaskOptions(replay=replay)
        attended = AttendedTask(app, call.screen, options=options, as_json=as_json)
        end = await attended.run(lambda options: resume_run(app, run, **options))
        show_end(call.screen, end, as_json=as_json, app=app)
        return exit_code(end.status)

    return run_async(work())
