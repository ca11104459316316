"""`logs`: the tasks of a project and what was done for each."""

from pathlib import Path
from typing import TypedDict, Unpack

import click

from pm_orchestrator.bootstrap.opening import open_project
from pm_orchestrator.cli.id_completion import complete_sessions, complete_tasks
from pm_orchestrator.cli.invocation import (
    Invocation,
    invocation,
    json_option,
    project_option,
    run_async,
)
from pm_orchestrator.cli.log_reading import LogReading
from pm_orchestrator.cli.pages.logs.log_views import Form, LogRequest
from pm_orchestrator.domain.catalogue.messages import say
from pm_orchestrator.domain.history.task_log import VisibilityLevel


class LogsOptions(TypedDict):
    """The options of one call."""

    task: str | None
    session: str | None
    full: bool
    tree: bool
    as_json: bool
    project: Path


@click.command()
@click.argument("task", required=False, shell_complete=complete_tasks)
@click.option(
    "--session",
    shell_complete=complete_sessions,
    help="The session to look at; the latest by default, or the one that has TASK.",
)
@click.option("--full", is_flag=True, help="Show the executor's inner workings too.")
@click.option("--tree", is_flag=True, help="Show threads, runs and tasks as a tree.")
@json_option
@project_option
@invocation
def command(call: Invocation, **given: Unpack[LogsOptions]) -> int:
    """List the tasks of the latest session, or show the log of TASK of any session.

    TASK is either id of it, or what its id begins with.
    """
    form: Form = "json" if given["as_json"] else "tree" if given["tree"] else "list"
    level = VisibilityLevel.FULL if given["full"] else VisibilityLevel.SUMMARY
    request = LogRequest(task=given["task"], form=form, level=level)

    async def work() -> int:
        opened = await open_project(call.environment, given["project"])
        session = given["session"] or opened.book.latest_session()
        if session is None:
            call.screen.line("[]" if form == "json" else say("no_tasks", call.lang))
            return 0
        LogReading(opened, call.screen).show(request, session)
        return 0

    return run_async(work())
