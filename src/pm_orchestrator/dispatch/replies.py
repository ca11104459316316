"""How an assignment and its reply find each other, and how an error crosses the bus.

Both ids are derived, never drawn: whoever does the same thing again after a
crash sends the same message, which the bus then sends once.
"""

import hashlib
from typing import Any

import msgspec

from pm_orchestrator.domain.company.agent import AgentMessage
from pm_orchestrator.domain.errors import PmError, may_pass
from pm_orchestrator.ports.engine import StepFailure

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


def failure_payload(error: PmError) -> dict[str, Any]:
    """An error as it travels: all that is needed to say and to raise it again."""
    params = {name: _writable(str(value)) for name, value in error.params.items()}
    failure = StepFailure(slug=error.slug, params=params, next_step=error.next_step)
    return {
        **msgspec.to_builtins(failure),
        "code": error.code,
        "what": failure.error().what(),
    }


def failure_of(message: AgentMessage) -> PmError:
    """The error that a `task_failed` tells of, of the class it had on the other side.

    One that cannot be understood is a worker that broke down; more is not known of it.
    """
    try:
        told = {key: message.payload.get(key) for key in StepFailure.__struct_fields__}
        error = msgspec.convert(told, StepFailure, strict=True).error()
        error.what()
        error.hint()
    except (msgspec.ValidationError, KeyError):
        reason = str(message.payload.get("what", "it did not say why"))
        return PmError("step_crashed", kind=f"worker {message.sender}", reason=reason)
    return error


def is_outage(message: AgentMessage) -> bool:
    """Whether it says that the work could not be done for now, and nothing about the work."""
    return message.type == "task_failed" and may_pass(failure_of(message))


def _writable(text: str) -> str:
    """File names may hold bytes that no JSON can carry."""
    return text.encode("utf-8", "backslashreplace").decode()
