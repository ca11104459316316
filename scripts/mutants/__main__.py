"""`make mutants`: what share of small breaks of a package the tests notice."""

import argparse
import json
import queue
import shutil
import sys
import tempfile
import threading
import time
from pathlib import Path

from scripts.mutants.change import Change
from scripts.mutants.changes import changes_of
from scripts.mutants.equals import FILE, read_equals, unmatched
from scripts.mutants.reach import Reach
from scripts.mutants.tree import PRODUCT
from scripts.mutants.trying import Trial, Tried
from scripts.mutants.users import Users
from scripts.mutants.workshop import Workshop

PACKAGES = ("domain", "gates", "evidence", "runner")
LIMIT = 5.0
"""So many of a hundred changes may live that nobody has shown to be equal."""
EVERY = "all"
AGAIN = "again"


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


class Run:
    """One package, some of its changes."""

    def __init__(self, arguments: argparse.Namespace, root: Path, scratch: Path) -> None:
        self._arguments = arguments
        self._root = root
        self._product = root / PRODUCT
        self._scratch = scratch
        self._lived = root / ".mutants" / f"lived-{arguments.package}.json"

    def outcome(self) -> int:
        """2: the file of equals is wrong; 1: too many live."""
        equals = read_equals(self._root / "scripts" / "mutants" / FILE)
        every = [change for name in PACKAGES for change in changes_of(self._product, name)]
        if gone := unmatched(equals, every):
            for key in gone:
                say(f"{FILE}: nothing in the code is like this any more: {key}")
            return 2
        of_package = [c for c in every if c.package == self._arguments.package]
        chosen = self._chosen(of_package)
        equal = [change for change in chosen if change.key in equals]
        tried = self._try([change for change in chosen if change.key not in equals])
        lived = [each for each in tried if not each.killed]
        self._lived.write_text(json.dumps([each.change.key for each in lived]), encoding="utf-8")
        share = 100.0 * len(lived) / len(tried) if tried else 0.0
        print(
            f"{self._arguments.package}: {len(chosen)} of {len(of_package)} changes,"
            f" {len(equal)} known to be equal, {len(tried) - len(lived)} killed,"
            f" {len(lived)} lived: {share:.1f} %"
        )
        return int(share >= LIMIT)

    def _chosen(self, changes: list[Change]) -> list[Change]:
        wanted: str = self._arguments.mutants
        if wanted == AGAIN:
            keys = {tuple(key) for key in json.loads(self._lived.read_text("utf-8"))}
            return [change for change in changes if change.key in keys]
        ordered = sorted(changes, key=lambda change: change.rank(self._arguments.seed))
        ordered = [c for c in ordered if c.module.startswith(self._arguments.module)]
        return ordered if wanted == EVERY else ordered[: int(wanted)]

    def _try(self, changes: list[Change]) -> list[Tried]:
        workshops = [
            Workshop(self._root, self._scratch / str(number))
            for number in range(self._arguments.workers)
        ]
        reach = Reach(self._root)
        if not self._arguments.as_noted:
            reach.refresh(workshops[0], say)
        trial = Trial(reach, Users(self._product), self._arguments.seconds)
        waiting: queue.SimpleQueue[Change] = queue.SimpleQueue()
        for change in changes:
            waiting.put(change)
        tried: list[Tried] = []

        tests = {test for change in changes for test in trial.tests_for(change)}
        files = sorted({test.partition("::")[0] for test in tests})

        def work(workshop: Workshop) -> None:
            workshop.warm_up(files)
            while not waiting.empty():
                try:
                    change = waiting.get_nowait()
                except queue.Empty:
                    break
                source = (self._product / change.module).read_bytes()
                tried.append(trial.of(change, source, workshop))
                self._show(tried[-1])
            workshop.close()

        threads = [threading.Thread(target=work, args=(each,)) for each in workshops]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return tried

    def _show(self, tried: Tried) -> None:
        change = tried.change
        if tried.killed:
            say(f"killed {change.module}:{change.first} by {tried.by}")
            return
        reason = f"{tried.tests} tests reach it" if tried.tests else "no test reaches it"
        print(
            f"LIVED  {change.module}:{change.first} in {change.function or 'the module'}, {reason}"
        )
        print(f"     - {change.was}\n     + {change.now}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__)
    parser.add_argument("package", choices=PACKAGES)
    parser.add_argument(
        "--mutants", default="250", help=f"how many, {EVERY}, or {AGAIN}: those that lived"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--module", default="", help="only below this, as gates/judge")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=40.0, help="of tests for one change")
    parser.add_argument("--as-noted", action="store_true", help="run no test anew for its reach")
    parser.add_argument("--root", type=Path, default=Path(__file__).parents[2])
    arguments = parser.parse_args()
    scratch = Path(tempfile.mkdtemp(prefix="mutants."))
    started = time.monotonic()
    try:
        return Run(arguments, arguments.root, scratch).outcome()
    finally:
        say(f"{time.monotonic() - started:.0f} s")
        shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
