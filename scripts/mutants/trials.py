"""The two processes that run tests in the copied tree; each asks by fork, so none is ever broken.

One has loaded nothing of the product: a fork imports what its tests need, broken or not. The
other has collected tests and loaded what they need; in its forks the broken function is swapped.
An order is one line of JSON on standard input, an answer one line on standard output.
"""

import gc
import importlib
import json
import os
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TextIO, TypedDict

import pytest
from scripts.mutants.forks import Answer, adopt_orphans, in_fork, note
from scripts.mutants.plugins import FEW, LOADED_BEFORE, Collected, Heard, Quick, Traced, arguments
from scripts.mutants.swapping import functions_by_file, swap

NOTHING_TO_SWAP = 98


class Order(TypedDict):
    tests: list[str]
    """In this order; none: all that the files hold."""
    files: list[str]
    broken: str
    """The path of a module whose functions are swapped first."""
    patience_s: float
    trace: bool


class InOrder(Heard):
    """Only the ordered tests, in their order."""

    def __init__(self, tests: list[str]) -> None:
        super().__init__()
        self._places = {test: place for place, test in enumerate(tests)}

    @pytest.hookimpl(wrapper=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> Iterator[None]:
        yield
        if self._places:
            items[:] = sorted(
                (item for item in items if item.nodeid in self._places),
                key=lambda item: self._places[item.nodeid],
            )


def cold() -> None:
    """Answer orders, each by a start of pytest."""
    adopt_orphans()
    os.environ["PROPERTY_CASES"] = FEW
    for name in LOADED_BEFORE:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()
    for line in sys.stdin:
        order: Order = json.loads(line)
        _reply(in_fork(partial(_start, order), order["patience_s"]), sys.stdout)


def _start(order: Order, folder: Path) -> int:
    heard = InOrder(order["tests"])
    traced = Traced() if order["trace"] else None
    stop = [] if traced else ["-x"]
    given = arguments(*stop, f"--basetemp={folder / 'base'}", *order["files"])
    code = pytest.main(given, [Quick(), heard, *([traced] if traced else [])])
    if traced:
        traced.end()
    note(folder, heard.said)
    return int(code)


def warm(files: list[str]) -> None:
    """Collect these files once, then answer orders."""
    adopt_orphans()
    os.environ["PROPERTY_CASES"] = FEW
    source = str(Path("src").resolve())
    orders, answers = os.dup(0), os.dup(1)
    for number in (0, 1):
        os.dup2(os.open(os.devnull, os.O_RDWR), number)

    def serve(collected: Collected) -> None:
        functions = functions_by_file()
        whole = {path: Path(path).read_bytes() for path in functions if path.startswith(source)}
        with os.fdopen(orders) as lines, os.fdopen(answers, "w") as out:
            for line in lines:
                order: Order = json.loads(line)
                path = order["broken"]

                def swap_first(path: str = path) -> None:
                    # What is imported when it is needed is not loaded yet, and is found broken.
                    was = whole.get(path)
                    if was is None or not swap(functions[path], Path(path), was):
                        os._exit(NOTHING_TO_SWAP)

                _reply(collected.run(order["tests"], swap_first, order["patience_s"]), out)

    pytest.main(arguments(*files), [Quick(), Collected(serve)])


def _reply(answer: Answer, out: TextIO) -> None:
    print(json.dumps(answer), file=out, flush=True)
