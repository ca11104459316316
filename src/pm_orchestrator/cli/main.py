"""The entry point. `--version` is answered before anything heavy is imported."""

import signal
import sys

from pm_orchestrator import __version__


def main() -> None:
    """Run the command line and leave with its exit code."""
    arguments = sys.argv[1:]
    if arguments == ["--version"]:
        sys.stdout.write(f"pm-orchestrator {__version__}\n")
        sys.exit(0)
    _guard_production()
    from pm_orchestrator.cli.program import run

    code = run(arguments)
    # All is said and done: a late Ctrl-C must not make another exit code of it.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    sys.exit(code)


def _guard_production() -> None:
    """Stop a test executor in production before anything else; elsewhere say that it is on."""
    from pm_orchestrator.bootstrap.environment import read_environment
    from pm_orchestrator.bootstrap.executor_mode import (
        FORBIDDEN,
        STUB,
        WARNING,
        in_production,
        stub_wanted,
    )

    variables = read_environment().variables
    if not stub_wanted(variables):
        return
    if in_production(variables):
        sys.stderr.write(f"{FORBIDDEN}\n")
        sys.exit(1)
    sys.stdout.write(f"{WARNING}\nmode={STUB}\n")
