"""`doctor`: is everything here that work needs, and what to do where it is not."""

import sys
from pathlib import Path

import click

from pm_orchestrator.bootstrap.doctor.cleaning import clean
from pm_orchestrator.bootstrap.doctor.examination import examine
from pm_orchestrator.bootstrap.doctor.surroundings import surroundings_at
from pm_orchestrator.bootstrap.opening import open_project
from pm_orchestrator.cli.invocation import (
    Invocation,
    invocation,
    json_option,
    project_option,
    run_async,
)
from pm_orchestrator.cli.pages.doctor_page import clean_page, doctor_page, report_page
from pm_orchestrator.cli.terminal.paint import mark_paint
from pm_orchestrator.domain.catalogue.doctor_texts import diagnosis
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.tasks.status import EXIT_ERROR


@click.command()
@click.option("--report", "for_report", is_flag=True, help="Print all of it, masked, to send on.")
@click.option(
    "--clean", "cleaning", is_flag=True, help="Remove what dead processes of ours left behind."
)
@json_option
@project_option
@invocation
def command(
    call: Invocation, project: Path, *, for_report: bool, cleaning: bool, as_json: bool
) -> int:
    """Check tools, sandboxes, keys, disk and the project; a cure stands below each problem.

    ✓ is fine, · is worth knowing, ✗ is a problem. Nothing is changed without --clean.

    Exit code 0 when nothing essential is wrong, 1 otherwise.
    """
    if for_report and cleaning:
        raise PmError("options_exclude", options="--report, --clean", command="doctor")
    if cleaning:
        return run_async(_clean(call, project, as_json=as_json))
    return run_async(_examine(call, project, for_report=for_report, as_json=as_json))


async def _examine(call: Invocation, project: Path, *, for_report: bool, as_json: bool) -> int:
    surroundings = surroundings_at(call.environment, project, call.lang)

    def slow(check: str) -> None:
        if sys.stderr.isatty():
            call.screen.aside(diagnosis("checking", call.lang, check=check))

    report = await examine(surroundings, slow)
    if as_json:
        call.screen.data(report)
    elif for_report:
        home = call.environment.home
        call.screen.line(report_page(report, surroundings.settings, home, call.lang))
    else:
        call.screen.page(doctor_page(report, call.lang), mark_paint)
    return 0 if report.well else EXIT_ERROR


async def _clean(call: Invocation, project: Path, *, as_json: bool) -> int:
    done = await clean(await open_project(call.environment, project))
    if as_json:
        call.screen.data(done)
    else:
        call.screen.line(clean_page(done, call.lang))
    return 0
