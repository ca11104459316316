"""`init`: make a directory a project."""

from pathlib import Path

import click

from pm_orchestrator.bootstrap.initialising import initialise
from pm_orchestrator.cli.invocation import (
    Invocation,
    directory_option,
    invocation,
    json_option,
    run_async,
)
from pm_orchestrator.domain.catalogue.messages import say
from pm_orchestrator.domain.record import Record


class InitReport(Record, frozen=True, kw_only=True):
    """What `init` did."""

    created: tuple[str, ...]
    """Files and directories that were not there before."""


@click.command()
@click.option("--adopt", is_flag=True, help="Add only what is missing to an existing .claude.")
@json_option
@directory_option
@invocation
def command(call: Invocation, project: Path, *, adopt: bool, as_json: bool) -> int:
    """Create .claude/ with default settings. Nothing that exists is overwritten."""

    async def work() -> int:
        made = await initialise(call.environment, project, adopt=adopt)
        if as_json:
            report = InitReport(created=tuple(str(path) for path in made))
            call.screen.data(report)
        for path in made if not as_json else ():
            call.screen.line(say("created", call.lang, path=path))
        return 0

    return run_async(work())
