"""How an assignment and its reply find each other, and what they carry across the bus.

Payloads are written and read here and nowhere else. What another version may have added
to one is ignored.

Both ids are derived, never drawn: whoever does the same thing again after a
crash sends the same message, which the bus then sends once.
"""

import hashlib
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from pm_orchestrator.domain.company.agent import AgentMessage
from pm_orchestrator.domain.company.assignment import Assignment, AttemptResult
from pm_orchestrator.domain.errors import ERROR_CLASSES, NextStep, PmError, may_pass
from pm_orchestrator.ports.engine import StepFailure

IN_REPLY_TO = "in_reply_to"
"""Key in a reply's payload: the id of the assignment."""


def assignment_id(run_id: str, key: str) -> str:
    """The id of the message that assigns the work `key` of a run."""
    return "assign-" + hashlib.sha256(f"{run_id}\n{key}".encode()).hexdigest()[:32]


def reply_id(assignment: str) -> str:
    """The id of the one reply to an assignment."""
    return f"reply-{hashlib.sha256(assignment.encode()).hexdigest()[:32]}"


class _Work(msgspec.Struct, frozen=True):
    work: Assignment


class _Done(msgspec.Struct, frozen=True):
    result: AttemptResult


class _Answer(msgspec.Struct, frozen=True):
    in_reply_to: str | None = None


class _Failed(msgspec.Struct, frozen=True):
    slug: str
    params: dict[str, str]
    next_step: NextStep


class _Said(msgspec.Struct, frozen=True):
    what: str = "it did not say why"


P = TypeVar("P")


def _read(message: AgentMessage, kind: type[P]) -> P:
    return msgspec.convert(message.payload, kind, strict=True)


def _read_or(message: AgentMessage, otherwise: P) -> P:
    try:
        return _read(message, type(otherwise))
    except msgspec.ValidationError:
        return otherwise


def work_payload(assignment: Assignment) -> dict[str, Any]:
    """An attempt on its way to a worker."""
    return msgspec.to_builtins(_Work(assignment))


def work_in(message: AgentMessage) -> Assignment:
    """The attempt that a `task_assign` asks for.

    Raises:
        ValidationError: it is none that this version knows.
    """
    return _read(message, _Work).work


def result_payload(result: AttemptResult) -> dict[str, Any]:
    """What an attempt came to, on its way back."""
    return msgspec.to_builtins(_Done(result))


def result_in(message: AgentMessage) -> AttemptResult:
    """What a `task_complete` brings.

    Raises:
        ValidationError: it is nothing that this version knows.
    """
    return _read(message, _Done).result


def in_reply(message: AgentMessage, payload: Mapping[str, Any]) -> dict[str, Any]:
    """`payload` as the answer to the assignment `message`."""
    return {**payload, IN_REPLY_TO: message.id}


def answered_by(message: AgentMessage) -> str | None:
    """The id of the assignment that `message` answers, if it is a reply."""
    if message.type not in {"task_complete", "task_failed"}:
        return None
    return _read_or(message, _Answer()).in_reply_to


def failure_payload(error: PmError) -> dict[str, Any]:
    """An error as it travels: all that is needed to say and to raise it again."""
    params = {name: _writable(str(value)) for name, value in error.params.items()}
    failure = StepFailure(slug=error.slug, params=params, next_step=error.next_step)
    return {
        **msgspec.to_builtins(failure),
        "code": error.code,
        "what": failure.error().what(),
    }


def failed_reply(message: AgentMessage) -> PmError:
    """The error that a `task_failed` tells of, of the class it had on the other side.

    One that cannot be understood is a worker that broke down; more is not known of it.
    """
    try:
        told = _read(message, _Failed)
        error = ERROR_CLASSES[told.next_step](told.slug, **told.params)
        error.what()
        error.hint()
    except (msgspec.ValidationError, KeyError):
        reason = _read_or(message, _Said()).what
        return PmError("step_crashed", kind=f"worker {message.sender}", reason=reason)
    return error


def is_outage(message: AgentMessage) -> bool:
    """Whether it says that the work could not be done for now, and nothing about the work."""
    return message.type == "task_failed" and may_pass(failed_reply(message))


def _writable(text: str) -> str:
    """File names may hold bytes that no JSON can carry."""
    return text.encode("utf-8", "backslashreplace").decode()
