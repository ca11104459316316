"""What every command shares: options, language, error printing, clean interruption."""

import asyncio
import signal
from collections.abc import Callable, Coroutine
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from pm_orchestrator.bootstrap.environment import Environment, read_environment
from pm_orchestrator.cli.screen import Screen
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.status import EXIT_ERROR, EXIT_INCOMPLETE
from pm_orchestrator.domain.text import Lang
from pm_orchestrator.evidence.masking import Masker, secret_literals

F = TypeVar("F", bound=Callable[..., Any])


class Invocation:
    """One call of the program."""

    def __init__(self, lang: Lang | None) -> None:
        self.environment: Environment = read_environment()
        self.lang: Lang = lang or self.environment.lang or "en"
        self.masker = Masker(secret_literals(self.environment.variables))
        self.screen = Screen(self.lang, lambda text: self.masker.mask(text).text)


def project_option(function: F) -> F:
    """`--project`: the directory to work in."""
    return click.option(
        "--project",
        type=click.Path(path_type=Path),
        default=Path(),
        help="The project's directory; the current one by default.",
    )(function)


def json_option(function: F) -> F:
    """`--json`: print data for programs."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(function)


def invocation(function: Callable[..., int]) -> Callable[..., int]:
    """Give a command its `Invocation` and `--lang`, and print the errors it raises."""

    @click.option("--lang", type=click.Choice(["en", "ja"]), help="Language of the texts.")
    @wraps(function)
    def command(lang: Lang | None, **options: Any) -> int:
        call = Invocation(lang)
        try:
            return function(call, **options)
        except PmError as error:
            call.screen.error(error)
            return EXIT_INCOMPLETE if error.next_step == "ask" else EXIT_ERROR

    return command


def run_async(work: Coroutine[Any, Any, int]) -> int:
    """Run to the end. Ctrl-C, SIGTERM and a lost terminal cancel the work, which cleans up.

    Raises:
        KeyboardInterrupt: after an interrupted work has cleaned up.
    """

    async def guarded() -> int:
        task = asyncio.current_task()
        assert task is not None
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, task.cancel)
        return await work

    try:
        return asyncio.run(guarded())
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None
