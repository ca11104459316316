"""`logs`: the tasks of a project and what was done for each."""

from pathlib import Path

import click

from pm_orchestrator.bootstrap.application import open_application
from pm_orchestrator.cli.invocation import (
    Invocation,
    invocation,
    json_option,
    project_option,
    run_async,
)
from pm_orchestrator.cli.log_pages import log_table, task_page
from pm_orchestrator.domain.catalogue.messages import say
from pm_orchestrator.domain.record import to_file


@click.command()
@click.argument("task", required=False)
@click.option("--full", is_flag=True, help="Show the executor's inner workings too.")
@json_option
@project_option
@invocation
def command(call: Invocation, task: str | None, project: Path, *, full: bool, as_json: bool) -> int:
    """List the tasks of the latest session, or show the log of TASK (either id)."""

    async def work() -> int:
        app = await open_application(call.environment, project)
        session = app.book.latest_session()
        if session is None:
            call.screen.line("[]" if as_json else say("no_tasks", call.lang))
            return 0
        app.book.check(session)
        if task is not None:
            log = app.book.read(session, task)
            page = to_file(log).decode().rstrip() if as_json else task_page(log, full=full)
        else:
            entries = app.book.entries(session)
            page = (
                to_file(entries).decode().rstrip()
                if as_json
                else log_table(session, entries, lambda log: app.book.read(session, log))
            )
        call.screen.line(page)
        return 0

    return run_async(work())
