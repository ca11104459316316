"""Finding a task by as much of its id as a person types, in whichever session it is."""

from typing import NamedTuple

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.task_log import TaskLogEntry
from pm_orchestrator.evidence.records.log_book import TaskLogBook

NAMED = 5
"""How many of the tasks that may be meant are named."""


class FoundTask(NamedTuple):
    """Where a task is, by the id that is its own in that session."""

    session_id: str
    task_id: str


def find_task(book: TaskLogBook, typed: str, first: str | None = None) -> FoundTask:
    """The task with this id, or the only one whose id begins so; sessions from the latest back.

    `first` is the session that is looked at before all others: ids of logs are the same in each.

    Raises:
        PmError: E210 where no task is meant, or more than one may be.
    """
    listed = tuple(reversed(book.session_ids()))
    sessions = (first, *(one for one in listed if one != first)) if first in listed else listed
    begun: list[FoundTask] = []
    for session_id in sessions:
        for entry in reversed(book.entries(session_id)):
            found = FoundTask(session_id, entry.external_task_id)
            if typed in (entry.task_id, entry.external_task_id):
                return found
            if _begins(entry, typed):
                begun.append(found)
    if not begun:
        raise PmError("task_nowhere", task=typed)
    if len(begun) > 1:
        named = ", ".join(found.task_id for found in begun[:NAMED])
        more = ", …" if len(begun) > NAMED else ""
        raise PmError("task_ambiguous", task=typed, count=len(begun), tasks=named + more)
    return begun[0]


def _begins(entry: TaskLogEntry, typed: str) -> bool:
    # A part has the beginning of its id from the task it is a part of.
    whole = entry.parent_task_id is None
    return whole and bool(typed) and entry.external_task_id.startswith(typed)
