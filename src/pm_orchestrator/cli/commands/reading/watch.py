"""`watch`: follow a task or a run of this or another process until it ends."""

import asyncio
from pathlib import Path

import click

from pm_orchestrator.bootstrap.opening import open_project
from pm_orchestrator.cli.following import Following
from pm_orchestrator.cli.id_completion import complete_tasks_and_runs
from pm_orchestrator.cli.invocation import (
    Invocation,
    invocation,
    json_option,
    project_option,
    run_async,
)
from pm_orchestrator.domain.catalogue.watch_texts import watch_say
from pm_orchestrator.domain.tasks.status import EXIT_INCOMPLETE
from pm_orchestrator.runner.project.looking import run_watch


@click.command()
@click.argument(
    "what", metavar="[TASK|RUN]", required=False, shell_complete=complete_tasks_and_runs
)
@click.option("--full", is_flag=True, help="Show the executor's inner workings too.")
@json_option
@project_option
@invocation
def command(call: Invocation, what: str | None, project: Path, *, full: bool, as_json: bool) -> int:
    """Follow TASK or RUN from its files until it ends; by default what runs now.

    Ctrl-C ends the watching, not the work. With --json each line is one JSON object; the
    last one has "source": "end".

    The exit code is that of what is watched: 0 complete, 1 error, 2 incomplete.
    """

    async def work() -> int:
        opened = await open_project(call.environment, project)
        following = Following(opened, call.screen, run_watch(opened).find(what))
        show = following.for_people
        if as_json:
            show = following.as_data
        else:
            following.announce()
        try:
            end = await show(full=full)
        except asyncio.CancelledError:
            call.screen.aside(watch_say("watch_left", call.lang))
            return EXIT_INCOMPLETE
        return end.exit_code

    return run_async(work())
