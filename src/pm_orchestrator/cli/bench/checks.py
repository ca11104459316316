"""A whole task with its checks, against the project's own gate run once.

The suite takes 20 seconds: most of them waiting, as tests do that start something, and some
of them computing.
"""

import asyncio
from pathlib import Path

import msgspec

from pm_orchestrator.cli.bench.bench_place import BenchPlace
from pm_orchestrator.cli.bench.instant import InstantExecutors, commit_all, run_instant_task
from pm_orchestrator.cli.bench.ratios import Comparison, Ratio, measure
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.ports.process import Command
from pm_orchestrator.runner.project.project_sessions import start_session

MODULES = 10
TESTS_IN_EACH = 4
WAITS_S = 0.45
TURNS = 1_000_000
"""Of a loop in each test; a twentieth of a second, more or less."""
MAKEFILE = "test:\n\t@python3 -B -m unittest discover -s tests -t .\n"
PRODUCT = "def area_{0}(side):\n    return side * side + {1}\n"
MORE_PRODUCT = "\n\ndef volume_{0}(side):\n    return side**3\n"
TESTS = """\
import time
import unittest

from shapes import module_{0}


class Module{0}Test(unittest.TestCase):
    def setUp(self):
        time.sleep({waits})
        self.total = sum(range({turns}))
"""
AREA_TEST = """
    def test_area_{1}(self):
        self.assertEqual(module_{0}.area_{0}({1}), {1} * {1} + {2})
"""
VOLUME_TEST = """
    def test_volume(self):
        self.assertEqual(module_{0}.volume_{0}(2), 8)
"""


class Work(msgspec.Struct, frozen=True, kw_only=True):
    """A task, and the files that its executor leaves."""

    name: str
    allowed: float
    asks: str
    files: dict[str, str]


def product_text(number: int, more: int = 1) -> str:
    """One module of the product."""
    return PRODUCT.format(number, more)


def suite_text(number: int, more: int = 1) -> str:
    """The tests of that module."""
    head = TESTS.format(number, waits=WAITS_S, turns=TURNS)
    return head + "".join(AREA_TEST.format(number, n, more) for n in range(TESTS_IN_EACH))


def works() -> tuple[Work, ...]:
    """The pieces of work that are measured, each with its limit."""
    return (
        Work(
            name="checks of changed product",
            allowed=1.3,
            asks="Add a function volume_0 to shapes/module_0.py",
            files={"shapes/module_0.py": product_text(0) + MORE_PRODUCT.format(0)},
        ),
        Work(
            name="checks of changed product and new tests",
            allowed=2.5,
            asks="Add a function volume_1 to shapes/module_1.py, with a test",
            files={
                "shapes/module_1.py": product_text(1) + MORE_PRODUCT.format(1),
                "tests/test_module_1.py": suite_text(1) + VOLUME_TEST.format(1),
            },
        ),
        Work(
            name="checks of changed behaviour and its tests",
            allowed=2.5,
            asks="Change area_2 in shapes/module_2.py to add 5 instead of 1, and update its tests",
            files={
                "shapes/module_2.py": product_text(2, more=5),
                "tests/test_module_2.py": suite_text(2, more=5),
            },
        ),
    )


async def measure_checks(place: BenchPlace) -> list[Ratio]:
    """Work on the product alone, and work on product and tests."""
    return [await _measure(place, number, work) for number, work in enumerate(works())]


async def _measure(place: BenchPlace, number: int, work: Work) -> Ratio:
    project = place.folder / f"project-{number}"
    await asyncio.to_thread(_write, project)
    await asyncio.to_thread(commit_all, place.environment, project)
    opened = await place.open(project)
    opened.executors = InstantExecutors({project / path: t for path, t in work.files.items()})
    session = await start_session(opened)
    gate = Command(argv=("make", "test"), cwd=project, env=opened.variables, timeout_s=120)

    async def once() -> None:
        ran = await opened.commands.run(gate)
        if ran.exit_code != 0:
            raise PmError("program_fault", reason=ran.stderr.decode(errors="replace")[-500:])

    # One round: the second task would find its work done.
    what = Comparison(
        name=work.name,
        yardstick="the project's gate once",
        allowed=work.allowed,
        rounds=1,
        warm_up=0,
    )
    try:
        return await measure(what, lambda: run_instant_task(opened, session, work.asks), once)
    finally:
        await session.leave()


def _write(project: Path) -> None:
    files = {"Makefile": MAKEFILE, "shapes/__init__.py": "", "tests/__init__.py": ""}
    for number in range(MODULES):
        files[f"shapes/module_{number}.py"] = product_text(number)
        files[f"tests/test_module_{number}.py"] = suite_text(number)
    for path, text in files.items():
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).write_text(text, encoding="utf-8")
