"""How a task is to be worked on, as the commands that start or go on with one are told."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar

import click

from pm_orchestrator.domain.tasks.task import AskedLimits
from pm_orchestrator.runner.project.crew import TaskOptions

if TYPE_CHECKING:
    from pm_orchestrator.domain.company.spending import Caps

F = TypeVar("F", bound=Callable[..., Any])

MOST_MINUTES = 7 * 24 * 60
SECONDS = 60


class CapsHow(TypedDict):
    """What a command was told of what may be spent."""

    max_minutes: int | None
    max_turns: int | None
    budget_usd: float | None
    budget_tokens: int | None


class TaskHow(CapsHow):
    """What such a command was given."""

    adapter: str | None
    executor: str | None
    model: str | None
    max_files: int | None


def how_options(function: F) -> F:
    """`--adapter`, `--executor`, `--model`, `--max-files`, and what may be spent."""
    options = (
        click.option(
            "--adapter",
            help="The model API to ask for this task, such as openai, anthropic, gemini or ollama; "
            "the selected provider, or that of the settings, by default.",
        ),
        click.option(
            "--executor", help="What a company's workers are: tool-loop, or a coding CLI."
        ),
        click.option("--model", help="The model to work with; the selected one by default."),
        click.option(
            "--max-files",
            type=click.IntRange(1),
            help="Let the task change this many files, whatever the settings say.",
        ),
    )
    for option in reversed(options):
        function = option(function)
    return caps_options(function)


def caps_options(function: F) -> F:
    """`--max-minutes`, `--max-turns`, `--budget-tokens` and `--budget-usd`."""
    options = (
        click.option(
            "--max-minutes",
            type=click.IntRange(1, MOST_MINUTES),
            help="Let the executor work this long, whatever the settings say.",
        ),
        click.option(
            "--max-turns",
            type=click.IntRange(1),
            help="Let models answer this often, all agents together.",
        ),
        click.option(
            "--budget-tokens",
            type=click.IntRange(1),
            help="Let the run use this many tokens, all agents together.",
        ),
        click.option(
            "--budget-usd",
            type=click.FloatRange(0, min_open=True),
            help="Let the run cost this many US dollars, all agents together.",
        ),
    )
    for option in reversed(options):
        function = option(function)
    return function


def options_for(how: TaskHow) -> TaskOptions:
    """The same for the work itself."""
    files, minutes = how["max_files"], how["max_minutes"]
    limits = None
    if files is not None or minutes is not None:
        seconds = None if minutes is None else minutes * SECONDS
        limits = AskedLimits(files=files, seconds=seconds)
    return TaskOptions(
        adapter=how["adapter"],
        executor=how["executor"],
        model=how["model"],
        limits=limits,
        caps=caps_for(how),
    )


def caps_for(how: CapsHow) -> "Caps | None":
    """What may be spent, as far as it was said."""
    usd, minutes = how["budget_usd"], how["max_minutes"]
    if all(said is None for said in (usd, minutes, how["budget_tokens"], how["max_turns"])):
        return None
    from decimal import Decimal

    from pm_orchestrator.domain.company.spending import Caps

    return Caps(
        tokens=how["budget_tokens"],
        usd=None if usd is None else Decimal(str(usd)),
        turns=how["max_turns"],
        seconds=None if minutes is None else minutes * SECONDS,
    )
