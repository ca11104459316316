"""What every command shares: options, language, error printing, clean interruption."""

import asyncio
import signal
from collections.abc import Callable, Coroutine
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from pm_orchestrator.bootstrap.environment import Environment, read_environment
from pm_orchestrator.bootstrap.project_modes import project_here
from pm_orchestrator.cli.pages.task_page import interruption_page
from pm_orchestrator.cli.spoken_help import LANGUAGE_HELP, LANGUAGES, OPTION
from pm_orchestrator.cli.terminal.screen import Screen
from pm_orchestrator.domain.catalogue.messages import say
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.tasks.status import EXIT_ERROR, EXIT_INCOMPLETE
from pm_orchestrator.domain.text import Lang
from pm_orchestrator.runner.records.interruption import TaskInterruptedError

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
CLEANING_UP_S = 30.0
"""More than the end of a process tree and the last records ever take."""

F = TypeVar("F", bound=Callable[..., Any])


class Invocation:
    """One call of the program."""

    def __init__(self, lang: Lang | None) -> None:
        self.environment: Environment = read_environment()
        environment = self.environment
        self.screen = Screen(lang or environment.lang, environment.masker, environment.variables)

    @property
    def lang(self) -> Lang:
        """The language to answer in."""
        return self.screen.lang


def _given_or_found(_context: click.Context, _option: click.Parameter, given: Path | None) -> Path:
    return given or project_here()


def project_option(function: F) -> F:
    """`--project`: the directory to work in; a project above the current one is found."""
    return click.option(
        "--project",
        type=click.Path(path_type=Path),
        callback=_given_or_found,
        help="The project's directory; by default the current one, or the one it lies in.",
    )(function)


def directory_option(function: F) -> F:
    """`--project` where no other directory than the current one can be meant."""
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

    @click.option(OPTION, type=click.Choice(LANGUAGES), help=LANGUAGE_HELP)
    @wraps(function)
    def command(lang: Lang | None, **options: Any) -> int:
        # `pm-orchestrator --lang ja run …` is the same as `run … --lang ja`.
        call = Invocation(lang or click.get_current_context().obj)

        def tell_program(error: PmError | None) -> None:
            """Once: what has been told about a task says it all."""
            if options.get("as_json") and not call.screen.gave_data:
                from pm_orchestrator.cli.command_end import not_begun, stopped

                end = not_begun(error, call.lang) if error else stopped(None, None, EXIT_INCOMPLETE)
                call.screen.row(end)

        try:
            return function(call, **options)
        except PmError as error:
            call.screen.error(error)
            tell_program(error)
            return EXIT_INCOMPLETE if error.is_unfinished else EXIT_ERROR
        except TaskInterruptedError as stopped:
            call.screen.aside("\n".join(interruption_page(stopped, call.lang)))
            return EXIT_INCOMPLETE
        except KeyboardInterrupt:
            call.screen.aside(say("interrupted", call.lang))
            tell_program(None)
            return EXIT_INCOMPLETE
        except click.ClickException:
            raise
        except Exception as bug:  # noqa: BLE001 - nobody should have to read our traceback
            from pm_orchestrator.runner.faults import program_fault

            fault = program_fault(bug)
            call.screen.error(fault)
            tell_program(fault)
            return EXIT_ERROR

    return command


class Interrupts:
    """Ctrl-C, SIGTERM and a lost terminal cancel the work once, and it cleans up.

    A second signal may not cut the cleaning up short: it would leave processes and half
    written records behind. It counts again only when that takes longer than it ever should.
    """

    def __init__(self, task: "asyncio.Task[Any]", loop: asyncio.AbstractEventLoop) -> None:
        self._task = task
        self._loop = loop
        self._since: float | None = None

    def listen(self) -> None:
        """From now on."""
        for number in SIGNALS:
            # Whoever started us with `nohup`, or in the background, does not mean us.
            if signal.getsignal(number) is not signal.SIG_IGN:
                self._loop.add_signal_handler(number, self._interrupt)

    def _interrupt(self) -> None:
        now = self._loop.time()
        if self._since is None or now - self._since > CLEANING_UP_S:
            self._since = now
            self._task.cancel()


def run_async(work: Coroutine[Any, Any, int]) -> int:
    """Run to the end, or until it is interrupted and has cleaned up.

    Raises:
        TaskInterruptedError: a task was stopped; it says what can be done now.
        KeyboardInterrupt: something else was.
    """

    async def guarded() -> int:
        task = asyncio.current_task()
        assert task is not None
        Interrupts(task, asyncio.get_running_loop()).listen()
        return await work

    try:
        return asyncio.run(guarded())
    except TaskInterruptedError:
        raise
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None
