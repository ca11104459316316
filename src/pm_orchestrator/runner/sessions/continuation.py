"""R-16: nothing goes on by itself; a person approves, and there must be something to go on with."""

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.task_log import TaskLog, TaskLogStatus
from pm_orchestrator.domain.history.task_story import (
    instruction_of,
    pending_question,
    verdict_in,
)
from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.evidence.records.open_log import TERMINAL
from pm_orchestrator.runner.sessions.open_session import OpenSession


def to_go_on(session: OpenSession) -> TaskLog:
    """The task that an approval would be for: the latest that ended unfinished.

    Raises:
        PmError: E207 when nothing is unfinished, or the unfinished tasks all wait for an
            answer, which is not an approval, or count for nothing; E204 while the only one
            is at work.
    """
    unfinished = session.unfinished()
    if not unfinished:
        raise PmError("nothing_unfinished", session=session.session_id)
    logs = [session.book.read(session.session_id, entry.task_id) for entry in unfinished]
    waiting = [log for log in logs if pending_question(log) is not None]
    ended = [log for log in logs if log.status in TERMINAL and log not in waiting]
    ready = [log for log in ended if not is_invalid(log)]
    if ready:
        return ready[-1]
    if waiting:
        raise PmError("waits_for_answer", session=session.session_id, task=waiting[-1].task_id)
    if ended:
        raise PmError("invalid_stays", task=ended[-1].task_id)
    raise PmError("task_not_ended", task=logs[-1].task_id)


def continuation(session: OpenSession) -> TaskLog:
    """The task an approved session goes on with.

    Raises:
        PmError: E207 when there is nothing to go on with, or the approval is missing.
    """
    log = to_go_on(session)
    state = session.state
    if state is None or not state.continuation_approved:
        raise PmError("not_approved", session=session.session_id)
    return log


def is_invalid(log: TaskLog) -> bool:
    """Whether it counts for nothing, as records or policy were altered while it was at work.

    Nothing goes on from there: it is taken back, and the instruction given again.
    """
    if log.status is not TaskLogStatus.ERROR:
        return False
    try:
        return verdict_in(log) is TaskStatus.INVALID
    except PmError:
        return False  # Of an older program, which spelt its verdicts otherwise.


def takes_words(log: TaskLog) -> bool:
    """Whether a person's words can have it go on: it asked, or it ended and was not done."""
    ended = log.status in {TaskLogStatus.INCOMPLETE, TaskLogStatus.ERROR}
    return ended or pending_question(log) is not None


def instruction_kept(log: TaskLog) -> str:
    """What a task is to go on with, where it is known in full.

    Raises:
        PmError: E207 where a secret was in it, which nobody kept.
    """
    instruction = instruction_of(log)
    if "[MASKED:" in instruction:
        raise PmError("instruction_not_kept", task=log.task_id)
    return instruction
