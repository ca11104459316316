"""`demo`: the real product on a sample project, with recorded models and nothing else fake."""

import shutil
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from importlib.resources import as_file, files
from pathlib import Path

import click
import msgspec

from pm_orchestrator.bootstrap.initialising import init_at
from pm_orchestrator.bootstrap.opening import open_project
from pm_orchestrator.cli.demo.sample_project import INSTRUCTION, SampleProject
from pm_orchestrator.cli.invocation import Invocation, invocation, json_option, run_async
from pm_orchestrator.cli.pages.result_page import commands_page, result_page
from pm_orchestrator.cli.terminal.screen_attendant import progress_on
from pm_orchestrator.domain.catalogue.messages import say
from pm_orchestrator.domain.tasks.status import exit_code
from pm_orchestrator.runner.project.crew import TaskOptions
from pm_orchestrator.runner.tasks.run_task import run_task


@click.command()
@click.option("--keep", is_flag=True, help="Leave the sample project for a closer look.")
@click.option(
    "--cassette",
    type=click.Path(path_type=Path),
    help="Replay other recorded answers than the ones that ship with the program.",
)
@json_option
@invocation
def command(call: Invocation, cassette: Path | None, *, keep: bool, as_json: bool) -> int:
    """Three scripted workers do a small job in sandboxes; one of them lies. Watch the Runner.

    No key and no network are needed. Everything but the models' answers is real.
    """
    with _place(keep=keep) as folder, _cassette(cassette) as recorded:
        return run_async(_demo(call, folder, recorded, keep=keep, as_json=as_json))


async def _demo(
    call: Invocation, folder: Path, cassette: Path, *, keep: bool, as_json: bool
) -> int:
    environment = call.environment
    if not keep:
        # What is thrown away leaves no trace in the user's state directory either.
        environment = msgspec.structs.replace(environment, state_home=folder / "state")
    sample = SampleProject(folder)
    sample.root.mkdir()
    await init_at(sample.root, adopt=False)
    opened = await open_project(environment, sample.root)
    await sample.create(opened.commands, environment.variables)
    if not as_json:
        call.screen.line(say("demo_title", call.lang))
        call.screen.line(say("demo_instruction", call.lang, instruction=INSTRUCTION))
        call.screen.line()
    with progress_on(call.screen, quiet=as_json) as progress:
        options = TaskOptions(replay=cassette, watch=progress.show)
        result = await run_task(opened, INSTRUCTION, way="company", **options)
    if as_json:
        from pm_orchestrator.cli.command_end import judged

        call.screen.data(judged(result))
        return exit_code(result.status)
    call.screen.line("\n".join(result_page(result, call.lang)))
    call.screen.line()
    key = "kept_at" if keep else "demo_removed"
    call.screen.line(say(key, call.lang, path=sample.root))
    where = sample.root if keep else Path("PROJECT")
    call.screen.line("\n".join(commands_page(result, where, call.lang)))
    return exit_code(result.status)


@contextmanager
def _place(*, keep: bool) -> Generator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="pm-orchestrator-demo-"))
    try:
        yield folder
    finally:
        if not keep:
            shutil.rmtree(folder)


@contextmanager
def _cassette(given: Path | None) -> Generator[Path]:
    if given is not None:
        yield given
        return
    with as_file(files("pm_orchestrator.cli.demo") / "cassette.json") as shipped:
        yield shipped
