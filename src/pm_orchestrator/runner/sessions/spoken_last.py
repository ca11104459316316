"""The executor's own conversation that a new instruction goes on in.

It is looked up in the logs, so whatever ended the work before, nothing else has to remember it.
"""

from pm_orchestrator.evidence.records.log_book import TaskLogBook
from pm_orchestrator.runner.records.execution_record import Spoken, spoken_in


def spoken_in_session(
    book: TaskLogBook, session_id: str, since: str | None = None
) -> Spoken | None:
    """The last one of a session; of the tasks up to `since` nothing is to be known any more."""
    for entry in reversed(book.entries(session_id)):
        if entry.external_task_id == since:
            return None
        found = None
        if entry.parent_task_id is None:
            found = spoken_in(book.read(session_id, entry.task_id))
        if found is not None:
            return found
    return None


def spoken_in_project(book: TaskLogBook) -> Spoken | None:
    """The last one of all sessions."""
    every = (spoken_in_session(book, session) for session in reversed(book.session_ids()))
    return next((found for found in every if found is not None), None)
