"""`run`: carry out one instruction, with the company or with one executor."""

import sys
from pathlib import Path
from typing import TypedDict, Unpack

import click

from pm_orchestrator.bootstrap.application import open_application
from pm_orchestrator.bootstrap.company import CompanyRequest, run_company
from pm_orchestrator.bootstrap.solo import SoloOptions, run_solo
from pm_orchestrator.cli.attended import AttendedTask
from pm_orchestrator.cli.invocation import (
    Invocation,
    invocation,
    json_option,
    project_option,
    run_async,
)
from pm_orchestrator.cli.progress import progress_on
from pm_orchestrator.cli.result_page import show_commands, show_result
from pm_orchestrator.cli.task_page import show_end
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.record import to_file
from pm_orchestrator.domain.status import exit_code


class Given(TypedDict):
    """The options of one call."""

    instruction: str | None
    source: str | None
    solo: bool
    workers: int | None
    model: str | None
    base: str
    replay: Path | None
    as_json: bool
    project: Path


@click.command()
@click.argument("instruction", required=False)
@click.option("-f", "--file", "source", help="Read the instruction from a file; - is stdin.")
@click.option("--solo", is_flag=True, help="One executor works in the project directory.")
@click.option("--workers", type=click.IntRange(1, 4), help="Workers at the same time.")
@click.option("--model", help="The model the agents use.")
@click.option("--base", default="HEAD", show_default=True, help="The commit to start from.")
@click.option(
    "--replay",
    type=click.Path(path_type=Path),
    help="Answer from a cassette instead of a provider.",
)
@json_option
@project_option
@invocation
def command(call: Invocation, **given: Unpack[Given]) -> int:
    """Carry out INSTRUCTION and prove the result."""
    text = _instruction(given["instruction"], given["source"])
    call.screen.hear(text)
    if given["solo"]:
        return run_async(_solo(call, text, given))
    return run_async(_company(call, text, given))


def _instruction(given: str | None, source: str | None) -> str:
    if (given is None) == (source is None):
        raise PmError("instruction_once")
    if given is not None:
        return given
    if source == "-":
        return sys.stdin.read()
    try:
        return Path(source or "").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise PmError("file_unreadable", path=source, reason=error) from error


async def _company(call: Invocation, instruction: str, given: Given) -> int:
    request = CompanyRequest(
        instruction=instruction,
        cassette=given["replay"],
        workers=given["workers"],
        model=given["model"],
        base=given["base"],
    )
    app = await open_application(call.environment, given["project"])
    with progress_on(call.screen, quiet=given["as_json"]) as progress:
        result = await run_company(app, request, progress.show)
    if given["as_json"]:
        call.screen.raw(to_file(result).decode().rstrip())
    else:
        show_result(call.screen, result)
        call.screen.line()
        show_commands(call.screen, result, app.paths.root)
    return exit_code(result.status)


async def _solo(call: Invocation, instruction: str, given: Given) -> int:
    app = await open_application(call.environment, given["project"])
    options = SoloOptions(model=given["model"])
    attended = AttendedTask(app, call.screen, options=options, as_json=given["as_json"])
    end = await attended.run(lambda options: run_solo(app, instruction, **options))
    form = app.settings.ui.summary_format
    show_end(call.screen, end, as_json=given["as_json"], form=form)
    return exit_code(end.status)
