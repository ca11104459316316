"""R-16: nothing goes on by itself; a person approves, and there must be something to go on with."""

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.task_log import TaskLog
from pm_orchestrator.domain.history.task_story import pending_question
from pm_orchestrator.runner.sessions.open_session import OpenSession


def continuation(session: OpenSession) -> TaskLog:
    """The task an approved session goes on with: the latest that is unfinished.

    Raises:
        PmError: E207 when nothing is unfinished, the approval is missing, or the
            unfinished tasks all wait for an answer, which is not an approval.
    """
    unfinished = session.unfinished()
    if not unfinished:
        raise PmError("nothing_unfinished", session=session.session_id)
    state = session.state
    if state is None or not state.continuation_approved:
        raise PmError("not_approved", session=session.session_id)
    logs = [session.book.read(session.session_id, entry.task_id) for entry in unfinished]
    ready = [log for log in logs if pending_question(log) is None]
    if not ready:
        raise PmError(
            "waits_for_answer", session=session.session_id, task=unfinished[-1].external_task_id
        )
    return ready[-1]
