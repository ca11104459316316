"""The entry point. `--version` is answered before anything heavy is imported."""

import atexit
import gc
import os
import signal
import sys
import threading
from typing import Any, NoReturn, cast

from pm_orchestrator import __version__

COLLECT_EVERY = 200_000
"""New objects between two looks for garbage. Nearly all that a start makes is kept to the end,
so that looking as often as Python does by itself costs a sixth of a short run."""

INTERRUPTED = 2
"""What `EXIT_INCOMPLETE` is, which is not loaded yet."""

RUN_PROGRAMS = frozenset({"continue", "reply", "resume", "run"})
"""Commands that start other programs."""


def main() -> None:
    """Run the command line and leave with its exit code."""
    arguments = sys.argv[1:]
    _guard_production()
    if arguments == ["--version"]:
        sys.stdout.write(f"pm-orchestrator {__version__}\n")
        sys.exit(0)
    try:
        code = _run(arguments)
    except KeyboardInterrupt:
        # While we were still being loaded: nothing has begun, and there is nothing to say.
        code = INTERRUPTED
    # All is said and done: a late Ctrl-C must not make another exit code of it.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    _leave(code)


def _run(arguments: list[str]) -> int:
    gc.set_threshold(COLLECT_EVERY)
    if RUN_PROGRAMS.intersection(arguments[:1]):
        from pm_orchestrator.bootstrap.early_start import children_will_be_started

        children_will_be_started()
    from pm_orchestrator.cli.program import run

    return run(arguments)


def _leave(code: int) -> NoReturn:
    """End the process once all that waits for its end is done.

    Taking hundreds of modules apart one by one would cost more than most commands do, only
    to free what goes with the process anyway.
    """
    # As the interpreter's own end begins: threads first, then what was registered for it.
    cast("Any", threading)._shutdown()  # noqa: SLF001
    cast("Any", atexit)._run_exitfuncs()  # noqa: SLF001
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        # Whoever read it is gone; the interpreter has its own way to say so.
        sys.exit(code)
    os._exit(code)


def _guard_production() -> None:
    """Stop a test executor in production before anything else; elsewhere say that it is on."""
    if not os.environ.get("PM_EXECUTOR_MODE"):  # noqa: TID251 - a start without it loads no more
        return
    from pm_orchestrator.bootstrap.environment import read_environment
    from pm_orchestrator.bootstrap.executor_mode import (
        FORBIDDEN,
        STUB,
        WARNING,
        in_production,
        is_unknown,
        stub_wanted,
    )
    from pm_orchestrator.domain.errors import PmError

    environment = read_environment()
    variables, lang = environment.variables, environment.lang or "en"
    if is_unknown(variables):
        error = PmError("executor_mode_unknown", known=STUB)
        sys.stderr.write(f"ERROR {error.code}: {error.what(lang)}\nHINT: {error.hint(lang)}\n")
        sys.exit(1)
    if not stub_wanted(variables):
        return
    if in_production(variables):
        sys.stderr.write(f"{FORBIDDEN}\n")
        sys.exit(1)
    sys.stdout.write(f"{WARNING}\nmode={STUB}\n")
