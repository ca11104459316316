"""Breaks the copy by one change and runs the tests that could notice, the most likely first."""

from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

from scripts.mutants.change import Change
from scripts.mutants.forks import Answer
from scripts.mutants.reach import Reach
from scripts.mutants.users import Users
from scripts.mutants.workshop import Workshop

FIRST_S = 6.0
"""Most changes are noticed by a few quick tests."""
MOST_TESTS = 300
START_S = 30.0
"""Importing and collecting, on a busy machine."""
SLOWER = 5.0
"""A test that takes so many times longer than on the whole product is in a loop."""
CASES_NO_TEST_SEES = {0, 5}
"""Exit codes of pytest: all passed, and nothing was there to run."""


class Tried(NamedTuple):
    change: Change
    killed: bool
    tests: int
    """So many could have noticed it; as many were run as the time allowed."""
    by: str = ""


class Trial:
    """What is asked for each change."""

    def __init__(self, reach: Reach, users: Users, most_s: float) -> None:
        self._reach = reach
        self._users = users
        self._most_s = most_s

    def of(self, change: Change, source: bytes, workshop: Workshop) -> Tried:
        tests = self.tests_for(change)
        if not tests:
            return Tried(change, killed=False, tests=0)
        workshop.tree.write(change.module, change.applied(source))
        try:
            for some in self._portions(tests):
                noted = sum(self._reach.seconds[test] for test in some)
                answer = self._answer(change, some, START_S + SLOWER * noted, workshop)
                if answer["code"] not in CASES_NO_TEST_SEES:
                    by = answer["failed"][0] if answer["failed"] else f"exit {answer['code']}"
                    return Tried(change, killed=True, tests=len(tests), by=by)
        finally:
            workshop.tree.write(change.module, source)
        return Tried(change, killed=False, tests=len(tests))

    def _answer(
        self, change: Change, tests: list[str], patience_s: float, workshop: Workshop
    ) -> Answer:
        if not self.is_warm(change):
            return workshop.run(tests, patience_s=patience_s)
        answer = workshop.run_warm(tests, broken=change.module, patience_s=patience_s)
        return answer or workshop.run(tests, patience_s=patience_s)

    def is_warm(self, change: Change) -> bool:
        """Whether the change can be made in what is loaded, as nothing has run it yet."""
        lines = range(change.first, change.statement[1] + 1)
        return not change.at_import and not self._reach.at_import(change.module, lines)

    def tests_for(self, change: Change) -> list[str]:
        """Those that reach the change; the ones that reach little else first.

        What is bound when a module is imported is also looked at without running a line of it.
        """
        naming = set[str]()
        if not change.names and change.function:
            lines = range(change.first, change.last + 1)
            found = self._reach.tests_at(change.module, lines)
            found |= self._reach.tests_at(
                change.module, range(change.statement[0], change.statement[1] + 1)
            )
        else:
            places = self._users.places_of(change.module, change.names)
            found = {
                test for module, line in places for test in self._reach.tests_at(module, [line])
            }
            naming = self._reach.tests_naming(change.names)
        return sorted(found | naming, key=self._cost)

    def _cost(self, test: str) -> tuple[float, str]:
        breadth = self._reach.breadth.get(test, 0)
        return breadth * (1 + self._reach.seconds[test]), test

    def _portions(self, tests: list[str]) -> Iterator[list[str]]:
        left = deque(tests)
        for limit in (FIRST_S, self._most_s):
            some: list[str] = []
            seconds = 0.0
            while left and len(some) < MOST_TESTS and seconds < limit:
                some.append(left.popleft())
                seconds += self._reach.seconds[some[-1]]
            if some:
                yield some
