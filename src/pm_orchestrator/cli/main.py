"""The entry point. `--version` is answered before anything heavy is imported."""

import sys

from pm_orchestrator import __version__


def main() -> None:
    """Run the command line and leave with its exit code."""
    arguments = sys.argv[1:]
    if arguments == ["--version"]:
        sys.stdout.write(f"pm-orchestrator {__version__}\n")
        sys.exit(0)
    from pm_orchestrator.cli.program import run

    sys.exit(run(arguments))
