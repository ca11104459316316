"""`init`: make a directory a project."""

from pathlib import Path

import click

from pm_orchestrator.bootstrap.project_init import init_at
from pm_orchestrator.cli.invocation import Invocation, invocation, project_option, run_async
from pm_orchestrator.domain.catalogue.messages import say


@click.command()
@click.option("--adopt", is_flag=True, help="Add only what is missing to an existing .claude.")
@project_option
@invocation
def command(call: Invocation, project: Path, *, adopt: bool) -> int:
    """Create .claude/ with default settings. Nothing that exists is overwritten."""

    async def work() -> int:
        for path in await init_at(project, adopt=adopt):
            call.screen.line(say("created", call.lang, path=path))
        return 0

    return run_async(work())
