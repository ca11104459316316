"""How an assignment and its reply find each other.

Both ids are derived, never drawn: whoever does the same thing again after a
crash sends the same message, which the bus then sends once.
"""

import hashlib

from pm_orchestrator.domain.agent import AgentMessage

IN_REPLY_TO = "in_reply_to"
"""Key in a reply's payload: the id of the assignment."""


def assignment_id(run_id: str, key: str) -> str:
    """The id of the message that assigns the work `key` of a run."""
    return "assign-" + hashlib.sha256(f"{run_id}\n{key}".encode()).hexdigest()[:32]


def reply_id(assignment: str) -> str:
    """The id of the one reply to an assignment."""
    return f"reply-{hashlib.sha256(assignment.encode()).hexdigest()[:32]}"


def answered_by(message: AgentMessage) -> str | None:
    """The id of the assignment that `message` answers, if it is a reply."""
    if message.type not in {"task_complete", "task_failed"}:
        return None
    answered = message.payload.get(IN_REPLY_TO)
    return answered if isinstance(answered, str) else None
