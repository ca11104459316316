"""Facts, states and reports from before the latest: known by what the disk says of them alone.

Reading all of them around every executor would cost more with every task. Asking the disk for
size and times costs little, and is done for some more than the latest; of what is older still,
some are chosen by chance, which nobody can foresee. So nothing here can be put back: another
length is an alteration, and what was written again at the same length is named.
"""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import msgspec
from typing_extensions import override

from pm_orchestrator.evidence.guard.sealed_history import LEFT_BY_RUNS, RUNS, SESSIONS, STANDING
from pm_orchestrator.evidence.guard.sealed_part import Compare, Difference, SealedPart
from pm_orchestrator.evidence.guard.spoken_since import SpokenSince
from pm_orchestrator.evidence.look.growing_folders import GrowingFolders
from pm_orchestrator.evidence.look.plain_open import files_in

PAST = 20
"""So many sessions, and so many runs, are looked at by every task."""
BY_CHANCE = 10
"""Of the older ones."""
FACTS = "facts"


class Sign(msgspec.Struct, frozen=True):
    """What tells a file that nobody wrote."""

    size: int
    modified_ns: int
    changed_ns: int
    number: int
    access: tuple[int, int, int, int]
    """Permissions, owners and links: whoever changes these alone changes the second time too."""


Signs = dict[str, Sign]


class SealedPast(SealedPart):
    """The sessions and runs that `SealedHistory` leaves out.

    `below` draws a number from those below another.
    """

    def __init__(
        self, logs: Path, runs: Path, folders: GrowingFolders, below: Callable[[int], int]
    ) -> None:
        self._folders = folders
        self._below = below
        self._sessions = logs / "sessions"
        self._runs = runs

    @override
    def seal(self, session_id: str, sessions: tuple[str, ...]) -> Compare:
        known = self._some([s for s in sessions[:-SESSIONS] if s != session_id])
        runs = self._some(self._folders.names(self._runs)[:-RUNS])
        before = self._look(known, runs)
        return lambda since: self._compare(before, self._look(known, runs), since)

    def _compare(self, before: Signs, now: Signs, since: SpokenSince) -> Difference:
        moved = [name for name, sign in before.items() if _is_another(sign, now.get(name))]
        moved += [name for name in now.keys() - before if Path(name).parent.name == FACTS]
        if not moved:
            return Difference()
        others = since.others()
        found: dict[str, list[Path]] = {"altered": [], "gone": [], "rewritten": []}
        for name in moved:
            if not self._may_write(path := Path(name), others):
                found[_became(before.get(name), now.get(name))].append(path)
        return Difference(
            altered=tuple(found["altered"]),
            gone=tuple(found["gone"]),
            rewritten=tuple(found["rewritten"]),
        )

    def _may_write(self, path: Path, others: frozenset[str]) -> bool:
        """A run does not say whose it is; facts are written where a verdict is given, and once."""
        if path.is_relative_to(self._runs):
            return bool(others)
        return path.parent.name in others

    def _some(self, oldest_first: list[str]) -> list[str]:
        """The latest of them, and some of the others."""
        latest, older = oldest_first[-PAST:], oldest_first[:-PAST]
        start = self._below(len(older)) if older else 0
        return [*latest, *(older + older[:BY_CHANCE])[start : start + BY_CHANCE]]

    def _look(self, sessions: Iterable[str], runs: Iterable[str]) -> Signs:
        found: Signs = {}
        for session in sessions:
            folder = f"{self._sessions}/{session}"
            found.update(_signs(folder, STANDING))
            found.update(_signs(f"{folder}/{FACTS}", LEFT_BY_RUNS))
        for run in runs:
            found.update(_signs(f"{self._runs}/{run}", LEFT_BY_RUNS))
        return found


def _is_another(was: Sign, now: Sign | None) -> bool:
    """Whether somebody wrote it; permissions may be given and taken."""
    if now is None or (was.size, was.modified_ns, was.number) != (
        now.size,
        now.modified_ns,
        now.number,
    ):
        return True
    return was.changed_ns != now.changed_ns and was.access == now.access


def _became(was: Sign | None, now: Sign | None) -> str:
    if now is None:
        return "gone"
    return "rewritten" if was is not None and was.size == now.size else "altered"


def _signs(folder: str, endings: tuple[str, ...]) -> Iterator[tuple[str, Sign]]:
    try:
        found = files_in(folder, endings)
    except OSError:
        return  # Gone; who looked before says what was in it.
    for name, seen in found:
        access = (seen.st_mode, seen.st_uid, seen.st_gid, seen.st_nlink)
        yield name, Sign(seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns, seen.st_ino, access)
