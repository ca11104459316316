"""`prune`: take away the raw logs of tasks that ended long ago."""

from pathlib import Path

import click

from pm_orchestrator.bootstrap.opening import open_project
from pm_orchestrator.bootstrap.sandboxing.project_layer import prune_layers
from pm_orchestrator.cli.invocation import (
    Invocation,
    invocation,
    json_option,
    project_option,
    run_async,
)
from pm_orchestrator.cli.pages.prune_page import prune_end, prune_page
from pm_orchestrator.runner.project.retention import prune_evidence


@click.command()
@click.option(
    "--older-than",
    type=click.IntRange(1, 36_500),
    metavar="DAYS",
    help="How old they must be; evidence_settings.retention_days of the settings by default.",
)
@click.option("--dry-run", is_flag=True, help="Only say what would go.")
@json_option
@project_option
@invocation
def command(
    call: Invocation, older_than: int | None, project: Path, *, dry_run: bool, as_json: bool
) -> int:
    """Take away the raw logs of tasks that ended long ago.

    Records, hashes, task logs and answers stay, and a tombstone in the chain stands for each
    raw log, so `evidence verify` still proves the rest. Sessions in use are left alone.
    Every run does the same once a day. What `sandbox build` has installed and nobody has used
    for as long goes as well.
    """

    async def work() -> int:
        opened = await open_project(call.environment, project)
        days = older_than or opened.settings.evidence_settings.retention_days
        layers = await prune_layers(call.environment, days, dry_run=dry_run)
        report = prune_end(await prune_evidence(opened, older_than, dry_run=dry_run), layers)
        if as_json:
            call.screen.data(report)
        else:
            call.screen.line(prune_page(report, call.lang))
        return 0

    return run_async(work())
