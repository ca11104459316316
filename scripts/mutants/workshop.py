"""A copied tree with the processes that run tests in it."""

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

from scripts.mutants.forks import Answer
from scripts.mutants.tree import PRODUCT, Tree
from scripts.mutants.trials import NOTHING_TO_SWAP, Order

TOOL = Path(__file__).parents[2]


class Workshop:
    """Runs tests on the copy, whole or broken."""

    def __init__(self, root: Path, place: Path) -> None:
        self.tree = Tree(root, place)
        self._cold = self._started("cold()")
        self._warm: subprocess.Popen[str] | None = None

    def warm_up(self, files: Sequence[str]) -> None:
        """Collect the tests of these files, for `run_warm`."""
        self._warm = self._started(f"warm({list(files)!r})")

    def run(
        self,
        tests: Sequence[str],
        *,
        patience_s: float,
        files: Sequence[str] = (),
        trace: bool = False,
    ) -> Answer:
        """These tests in this order, or all of these files, with everything loaded anew."""
        of_tests = dict.fromkeys(test.partition("::")[0] for test in tests)
        order = Order(
            tests=list(tests),
            files=list(files or of_tests),
            broken="",
            patience_s=patience_s,
            trace=trace,
        )
        return _asked(self._cold, order)

    def run_warm(self, tests: Sequence[str], *, broken: str, patience_s: float) -> Answer | None:
        """These tests, with the functions of a broken module; nothing when none of them is."""
        assert self._warm is not None
        path = str(self.tree.root / PRODUCT / broken)
        order = Order(tests=list(tests), files=[], broken=path, patience_s=patience_s, trace=False)
        answer = _asked(self._warm, order)
        return None if answer["code"] == NOTHING_TO_SWAP else answer

    def close(self) -> None:
        for process in filter(None, (self._cold, self._warm)):
            process.communicate()

    def _started(self, call: str) -> "subprocess.Popen[str]":
        code = f"import sys; sys.path.insert(0, {str(TOOL)!r})\n"
        return subprocess.Popen(
            [str(self.tree.python), "-c", f"{code}from scripts.mutants.trials import *; {call}"],
            cwd=self.tree.root,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )


def _asked(process: "subprocess.Popen[str]", order: Order) -> Answer:
    assert process.stdin is not None
    assert process.stdout is not None
    print(json.dumps(order), file=process.stdin, flush=True)
    return json.loads(process.stdout.readline())
