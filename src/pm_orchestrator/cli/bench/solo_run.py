"""A whole `run --solo` around an instant executor, from the start of the process to its end.

CPU time of all its processes: ours, the one that starts programs, git, and the executor
itself, which is a shell that prints one line. The yardstick is what any such program
imports. Both have their bytecode at hand, as an installed program has.

The project lies in memory where it can. The yardstick writes nothing, and what a file
system costs depends on what others have deleted in it in the last minutes.
"""

import asyncio
import os
import sys
import tempfile
from pathlib import Path

from msgspec.structs import replace

from pm_orchestrator.cli.bench.bench_place import BenchPlace
from pm_orchestrator.cli.bench.cpu import cpu_seconds
from pm_orchestrator.cli.bench.instant import ANSWER, QUESTION, make_git_project
from pm_orchestrator.cli.bench.ratios import Comparison, Measured, Ratio, measure

FILES = 50
ROUNDS = 16
ALLOWED = 2.5
INSTANT = f"""\
#!/bin/sh
echo '{{"type":"result","subtype":"success","is_error":false,"result":"{ANSWER}"}}'
"""


MEMORY = Path("/dev/shm")


async def measure_solo_run(place: BenchPlace) -> list[Ratio]:
    """One question, answered at once."""
    if not os.access(MEMORY, os.W_OK):
        return await _measure(place)
    with tempfile.TemporaryDirectory(dir=MEMORY, prefix="pm-bench-") as folder:
        return await _measure(replace(place, folder=Path(folder)))


async def _measure(place: BenchPlace) -> list[Ratio]:
    project = place.folder / "project"
    await asyncio.to_thread(make_git_project, place.environment, project, FILES)
    opened = await place.open(project)
    programs = place.folder / "bin"
    programs.mkdir()
    _executable(programs / "claude", INSTANT)
    variables = {
        **opened.variables,
        "PATH": f"{programs}:{place.environment.search_path}",
        "XDG_STATE_HOME": str(place.folder),
    }
    variables.pop("PYTHONDONTWRITEBYTECODE", None)
    spent = 0.0

    def program(*arguments: str) -> Measured:
        async def run() -> None:
            nonlocal spent
            spent += await cpu_seconds(opened, (sys.executable, *arguments), variables)

        return run

    what = Comparison(
        name="run --solo, CPU of all its processes",
        yardstick="CPU of importing asyncio, msgspec and click",
        allowed=ALLOWED,
        rounds=ROUNDS,
    )
    ours = program("-m", "pm_orchestrator", "run", "--solo", QUESTION)
    plain = program("-c", "import asyncio, msgspec, click")
    return [await measure(what, ours, plain, lambda: spent)]


def _executable(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)
