"""How long the program takes to say anything, against an interpreter that says nothing."""

import sys

from pm_orchestrator.cli.bench.bench_place import BenchPlace
from pm_orchestrator.cli.bench.ratios import Comparison, Measured, Ratio, measure
from pm_orchestrator.ports.process import Command

ALLOWED = {"--version": 8.0, "--help": 12.0}


async def measure_start_up(place: BenchPlace) -> list[Ratio]:
    """The two calls that do nothing else."""
    opened = await place.open(place.folder)

    def program(*arguments: str) -> Measured:
        command = Command(
            argv=(sys.executable, *arguments),
            cwd=opened.paths.root,
            env=opened.variables,
            timeout_s=30,
        )
        return lambda: opened.commands.run(command)

    return [
        await measure(
            Comparison(name=option, yardstick="python -c pass", allowed=allowed),
            program("-m", "pm_orchestrator", option),
            program("-c", "pass"),
        )
        for option, allowed in ALLOWED.items()
    ]
