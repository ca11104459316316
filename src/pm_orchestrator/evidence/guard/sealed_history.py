"""What earlier tasks and other sessions left: facts, how sessions stand, reports and events.

Nobody writes facts again. The rest belongs to sessions, whose owners may write it; where none
was at work, it must be as it was. Only the latest are read, so that the price does not grow
with the history; those before them are `sealed_past`'s.
"""

from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import replace
from typing_extensions import override

from pm_orchestrator.evidence.guard.proved_files import Outside, outside_of
from pm_orchestrator.evidence.guard.sealed_part import Compare, Difference, SealedPart
from pm_orchestrator.evidence.guard.spoken_since import SpokenSince
from pm_orchestrator.evidence.look.growing_folders import GrowingFolders
from pm_orchestrator.evidence.look.plain_open import try_read

SESSIONS = FACTS = TICKETS = 10
RUNS = 5
"""How many of each are looked at, the latest."""
STANDING = ("session_state.json", "index.json", "session.json", "threads.json", "runs.jsonl")
LEFT_BY_RUNS = (".json", ".jsonl", ".log")
GROWING = ".log"
"""What a run of ours may be adding to meanwhile."""
Looked = tuple[Outside, bytes]


class SealedHistory(SealedPart):
    """Files below the logs, the runs and the backlog of a project."""

    def __init__(self, logs: Path, runs: Path, backlog: Path, folders: GrowingFolders) -> None:
        self._folders = folders
        self._all = logs / "index.json"
        self._sessions = logs / "sessions"
        self._runs = runs
        self._backlog = backlog
        self._known: dict[Path, Looked] = {}
        """Between the gates of one task, most are as they were."""

    @override
    def seal(self, session_id: str, sessions: tuple[str, ...]) -> Compare:
        latest = sessions[-SESSIONS:]
        for_ever = {path: self._look(path) for path in self._facts(latest)}
        others = [session for session in latest if session != session_id]
        theirs = {path: self._look(path) for path in self._of_others(others)}
        self._known = {p: seen for p, seen in (for_ever | theirs).items() if seen is not None}
        own = self._sessions / session_id / "facts"
        there = frozenset(self._folders.names(own))

        def compare(since: SpokenSince) -> Difference:
            found = self._compare(for_ever, theirs, since)
            # Facts are written where a verdict is given, and never while others work.
            new = sorted(set(self._folders.names(own)) - there)
            forged = tuple(own / name for name in new if name.endswith(".json"))
            return replace(found, altered=(*found.altered, *forged))

        return compare

    def _compare(
        self,
        for_ever: dict[Path, Looked | None],
        theirs: dict[Path, Looked | None],
        since: SpokenSince,
    ) -> Difference:
        altered = [path for path, seen in for_ever.items() if self._differs(path, seen)]
        moved = {path: seen for path, seen in theirs.items() if self._differs(path, seen)}
        back: dict[Path, bytes] = {}
        gone: list[Path] = []
        others = since.others() if moved else frozenset[str]()
        for path, seen in moved.items():
            if seen is None or self._may_write(path, others):
                continue
            back[path] = seen[1]
            (altered if outside_of(path) is not None else gone).append(path)
        back |= {path: seen[1] for path in altered if (seen := for_ever.get(path)) is not None}
        return Difference(altered=tuple(altered), put_back=back, gone=tuple(gone))

    def _may_write(self, path: Path, others: frozenset[str]) -> bool:
        if path.is_relative_to(self._sessions):
            return path.parent.name in others
        # Runs, tickets and the index of all sessions do not say whose they are.
        return bool(others)

    def _differs(self, path: Path, seen: Looked | None) -> bool:
        if seen is None or outside_of(path) == seen[0]:
            return False
        now = try_read(path)
        if now is not None and path.suffix == GROWING:
            return not now.startswith(seen[1])
        return now != seen[1]

    def _look(self, path: Path) -> Looked | None:
        outside = outside_of(path)
        if outside is None:
            return None
        known = self._known.get(path)
        if known is not None and known[0] == outside:
            return known
        data = try_read(path)
        return None if data is None else (outside, data)

    def _facts(self, sessions: tuple[str, ...]) -> list[Path]:
        found: list[Path] = []
        for session in reversed(sessions):
            folder = self._sessions / session / "facts"
            found += (folder / name for name in self._folders.latest(folder, FACTS, ".json"))
            if len(found) >= FACTS:
                break
        return found

    def _of_others(self, sessions: list[str]) -> Iterator[Path]:
        yield self._all
        for session in sessions:
            yield from (self._sessions / session / name for name in STANDING)
        latest = self._folders.latest
        for run in latest(self._runs, RUNS):
            folder = self._runs / run
            yield from (folder / name for name in latest(folder, RUNS, *LEFT_BY_RUNS))
        yield from (self._backlog / name for name in latest(self._backlog, TICKETS, ".md"))
