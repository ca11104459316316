"""`logs/index.json`: the index of every session, one after the other, in order of their start.

What it says of a session follows from the session's own index, which is exact at once; so it
may be behind by a little, and is brought into step when the session is left.
"""

from pathlib import Path

from pm_orchestrator.domain.history.session_list import Indexes, listed_in, older_list
from pm_orchestrator.domain.history.task_log import TaskLogIndex
from pm_orchestrator.domain.record import from_json, to_json
from pm_orchestrator.ports.store import DurableFiles

NAME = "index.json"


class GlobalIndex:
    """Reads and writes the file; whoever writes has it to themselves meanwhile."""

    def __init__(self, files: DurableFiles, logs: Path) -> None:
        self._files = files
        self._path = logs / NAME
        self._sessions = logs / "sessions"

    def session_ids(self) -> tuple[str, ...]:
        """All sessions, oldest first."""
        data = self._read()
        return () if data is None else listed_in(data, str(self._path))

    async def put(self, index: TaskLogIndex) -> int:
        """Bring what is said of a session into step; returns how many tasks there are in all."""
        async with self._files.exclusive(self._path):
            known = {one.session_id: one for one in self._indexes()}
            known[index.session_id] = index
            await self._files.replace(self._path, to_json(tuple(known.values())) + b"\n")
        return sum(len(one.entries) for one in known.values())

    def _indexes(self) -> Indexes:
        data = self._read()
        if data is None:
            return ()
        old = older_list(data)
        if old is None:
            return from_json(Indexes, data, str(self._path))
        return tuple(
            self._own(entry.session_id)
            or TaskLogIndex(
                session_id=entry.session_id,
                created_at=entry.started_at,
                updated_at=entry.started_at,
                entries=(),
            )
            for entry in old.sessions
        )

    def _own(self, session_id: str) -> TaskLogIndex | None:
        path = self._sessions / session_id / NAME
        try:
            return from_json(TaskLogIndex, self._files.read(path), str(path))
        except FileNotFoundError:
            return None

    def _read(self) -> bytes | None:
        try:
            return self._files.read(self._path)
        except FileNotFoundError:
            return None
