"""`run`: carry out one instruction, with the company or with one executor."""

import sys
from pathlib import Path
from typing import Unpack

import click

from pm_orchestrator.bootstrap.opening import open_project
from pm_orchestrator.cli.attending import TaskCommand
from pm_orchestrator.cli.cut_off import tell_cut_off
from pm_orchestrator.cli.invocation import (
    Invocation,
    invocation,
    json_option,
    project_option,
    run_async,
)
from pm_orchestrator.cli.task_options import TaskHow, how_options, options_for
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.runner.tasks.run_task import run_task


class RunOptions(TaskHow):
    """The options of one call."""

    instruction: str | None
    source: str | None
    solo: bool
    workers: int | None
    base: str
    replay: Path | None
    record: Path | None
    go_on: bool
    as_json: bool
    project: Path


@click.command()
@click.argument("instruction", required=False)
@click.option("-f", "--file", "source", help="Read the instruction from a file; - is stdin.")
@click.option("--solo", is_flag=True, help="One executor works in the project directory.")
@click.option("--workers", type=click.IntRange(1, 4), help="Workers at the same time.")
@how_options
@click.option("--base", default="HEAD", show_default=True, help="The commit to start from.")
@click.option(
    "--replay",
    type=click.Path(path_type=Path),
    help="Answer from a cassette instead of a provider.",
)
@click.option(
    "--record",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Put what the models answer into a cassette, secrets masked.",
)
@click.option(
    "--continue", "go_on", is_flag=True, help="Solo: go on in the executor's last conversation."
)
@json_option
@project_option
@invocation
def command(call: Invocation, **given: Unpack[RunOptions]) -> int:
    """Carry out INSTRUCTION and prove the result."""
    text = _instruction(given["instruction"], given["source"])
    call.screen.hear(text)
    return run_async(_run(call, text, given))


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


async def _run(call: Invocation, instruction: str, given: RunOptions) -> int:
    if given["go_on"] and not given["solo"]:
        raise PmError("continue_only_solo")
    if given["replay"] is not None and given["record"] is not None:
        raise PmError("record_or_replay")
    opened = await open_project(call.environment, given["project"])
    await tell_cut_off(call.screen, opened)
    options = options_for(given)
    if given["go_on"]:
        from pm_orchestrator.runner.sessions.spoken_last import spoken_in_project

        options["spoken"] = spoken_in_project(opened.book)
    if not given["solo"]:
        options["workers"], options["base"] = given["workers"], given["base"]
    options["replay"], options["record"] = given["replay"], given["record"]
    way = "solo" if given["solo"] else "company"
    task = TaskCommand(opened, call.screen, options=options, as_json=given["as_json"])
    return await task.run(lambda options: run_task(opened, instruction, way=way, **options))
