"""Which sessions a project has: the order of `logs/index.json`, in its form of today or before."""

from functools import lru_cache

from pm_orchestrator.domain.history.task_log import SessionLogIndex, TaskLogIndex
from pm_orchestrator.domain.record import MalformedRecordError, from_json

Indexes = tuple[TaskLogIndex, ...]


@lru_cache(maxsize=2)
def listed_in(data: bytes, source: str) -> tuple[str, ...]:
    """The sessions that the file names, oldest first.

    Raises:
        MalformedRecordError: E302 for a file of neither form.
    """
    old = older_list(data)
    if old is not None:
        return tuple(entry.session_id for entry in old.sessions)
    return tuple(index.session_id for index in from_json(Indexes, data, source))


def older_list(data: bytes) -> SessionLogIndex | None:
    """What the file was in older projects, where it is still that."""
    if not data.lstrip().startswith(b"{"):
        return None
    try:
        return from_json(SessionLogIndex, data)
    except MalformedRecordError:
        return None
