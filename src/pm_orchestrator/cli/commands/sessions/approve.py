"""`approve`: allow a session with something unfinished to go on."""

from pathlib import Path

import click

from pm_orchestrator.bootstrap.opening import open_project
from pm_orchestrator.cli.id_completion import complete_sessions
from pm_orchestrator.cli.invocation import (
    Invocation,
    invocation,
    json_option,
    project_option,
    run_async,
)
from pm_orchestrator.domain.catalogue.messages import say
from pm_orchestrator.runner.project.project_sessions import approve_session, owned, recovered
from pm_orchestrator.runner.sessions.session_view import view


@click.command()
@click.argument("session", shell_complete=complete_sessions)
@json_option
@project_option
@invocation
def command(call: Invocation, session: str, project: Path, *, as_json: bool) -> int:
    """Approve the continuation of SESSION. It covers one `continue`."""

    async def work() -> int:
        opened = await open_project(call.environment, project)
        await recovered(opened)
        async with owned(opened, session) as mine:
            task = await approve_session(opened, mine)
        if as_json:
            call.screen.data(view(opened.book, session))
        else:
            call.screen.line(say("approved", call.lang, session=session, task=task))
        return 0

    return run_async(work())
