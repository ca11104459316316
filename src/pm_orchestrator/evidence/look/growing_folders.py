"""Folders that get a new name with every task, and are not listed anew for each of them."""

import time
from collections.abc import Iterator
from pathlib import Path

import msgspec

from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.evidence.look.plain_open import about, names_in

NUMBERED = LatePattern(r"(run_|task-)(\d{3,9})((?:\.json)?)")
"""As runs are called, and the logs of a session's tasks: one after the other."""
CLOCK_STEP_NS = 20_000_000
"""What is added this soon after a look may leave the folder's times as they were."""

MOST = 500
"""Folders that are remembered; each run has one."""


class _Listed(msgspec.Struct, frozen=True):
    times: tuple[int, int]
    at_ns: int
    names: list[str]

    def still_holds(self, times: tuple[int, int]) -> bool:
        return self.times == times and max(times) < self.at_ns - CLOCK_STEP_NS


class GrowingFolders:
    """What is in them, the latest last: their names are numbers and dates.

    Who adds, takes away or renames changes the folder's own times, and nobody but the kernel
    sets the second of them.
    """

    def __init__(self) -> None:
        self._known: dict[Path, _Listed] = {}

    def names(self, folder: Path) -> list[str]:
        """All names in it; none where it cannot be listed."""
        seen = about(folder)
        if seen is None:
            return []
        times, now = (seen.st_mtime_ns, seen.st_ctime_ns), time.time_ns()
        known = self._known.get(folder)
        if known is not None and known.names and (form := NUMBERED.fullmatch(known.names[-1])):
            # Whoever takes one away is no concern here: looking at it finds nothing.
            known.names.extend(_after(folder, *form.groups()))
            return known.names
        if known is not None and known.still_holds(times):
            return known.names
        try:
            # A longer number is a later one.
            names = sorted(names_in(folder, ""), key=len)
        except OSError:
            return []
        if len(self._known) >= MOST:
            self._known.clear()
        self._known[folder] = _Listed(times, now, names)
        return names

    def latest(self, folder: Path, count: int, *endings: str) -> list[str]:
        """The last of them with one of these endings."""
        found: list[str] = []
        for name in reversed(self.names(folder)):
            if name.endswith(endings or ("",)):
                found.append(name)
            if len(found) == count:
                break
        return found[::-1]


def _after(folder: Path, name: str, digits: str, ending: str) -> Iterator[str]:
    """The names with the next numbers, as long as there are any."""
    number = int(digits) + 1
    while about(folder / (following := f"{name}{number:03d}{ending}")) is not None:
        yield following
        number += 1
