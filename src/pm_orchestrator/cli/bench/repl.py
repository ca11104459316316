"""The REPL from its start to its end, and its lists of a long session against a short one's."""

import shutil
import sys

from pm_orchestrator.cli.bench.bench_place import BenchPlace
from pm_orchestrator.cli.bench.history import history
from pm_orchestrator.cli.bench.ratios import Comparison, Measured, Ratio, measure
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.ports.process import Command
from pm_orchestrator.runner.project.project import Project

FEW, MANY = 20, 2_000
ROUNDS = 10
ALLOWED_START = 4.0
ALLOWED_LIST = 3.0


async def measure_repl_start(place: BenchPlace) -> list[Ratio]:
    """A script of `/help` and `/exit`, against node with nothing to do.

    Raises:
        PmError: E901 without node.
    """
    node = shutil.which("node", path=place.environment.search_path)
    if node is None:
        raise PmError("program_not_started", program="node", reason="it is not on PATH")
    opened = await place.open(place.folder)
    plain = Command(
        argv=(node, "-e", "0"),
        cwd=place.folder,
        env=place.environment.variables,
        timeout_s=30,
    )
    what = Comparison(
        name="repl, /help, /exit", yardstick="node -e 0", allowed=ALLOWED_START, rounds=ROUNDS
    )
    return [
        await measure(what, _repl(opened, "/help", "/exit"), lambda: opened.commands.run(plain))
    ]


async def measure_lists(place: BenchPlace) -> list[Ratio]:
    """`/tasks` and `/logs` in a session of 2,000 tasks, against one of 20."""
    few = await history(place, "short", FEW)
    many = await history(place, "long", MANY)
    ratios: list[Ratio] = []
    for name in ("/tasks", "/logs"):
        what = Comparison(
            name=f"{name} of {MANY:,} tasks",
            yardstick=f"{name} of {FEW}",
            allowed=ALLOWED_LIST,
            rounds=ROUNDS,
        )
        # Nothing is unfinished there, so the session is opened and that is all.
        long = _repl(many.opened, f"/continue {many.session_id}", name)
        short = _repl(few.opened, f"/continue {few.session_id}", name)
        ratios.append(await measure(what, long, short))
    return ratios


def _repl(opened: Project, *lines: str) -> Measured:
    """The program as a user starts it, on a script in a file of its project."""
    script = opened.paths.root / f"{lines[-1][1:]}.txt"
    script.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    command = Command(
        argv=(
            *("/bin/sh", "-c", '"$1" -m pm_orchestrator repl --project "$2" < "$3"', "sh"),
            *(sys.executable, str(opened.paths.root), str(script)),
        ),
        cwd=opened.paths.root,
        env={
            **opened.variables,
            "XDG_STATE_HOME": str(opened.paths.root.parent),
        },
        timeout_s=60,
    )
    return lambda: opened.commands.run(command)
