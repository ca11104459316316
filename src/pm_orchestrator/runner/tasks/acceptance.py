"""A person's decision about what the Runner could not prove either way.

The facts stay as they were found; the acceptance is added to them, and the verdict is
given again by the same rules. So accepting can only take away an objection that is a
person's to take away.
"""

from msgspec.structs import replace

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.task_log import TaskLog, TaskLogStatus
from pm_orchestrator.domain.judging.outcome import Facts
from pm_orchestrator.gates.judge.acceptable import open_to_acceptance
from pm_orchestrator.gates.judge.completion import decide

PERSON = "person"


def refuse_unless_incomplete(log: TaskLog) -> None:
    """Only a task that ended as incomplete has something to accept.

    Raises:
        PmError: E210 for any other.
    """
    if log.status is not TaskLogStatus.INCOMPLETE:
        raise PmError("not_acceptable", task=log.task_id, reason=f"it is {log.status}")


def granted(task_id: str, facts: Facts, gate: str | None) -> tuple[str, ...]:
    """The names that this acceptance covers: the one asked for, or all that are open.

    Raises:
        PmError: E210 when there is nothing of that name, or nothing at all, to accept.
    """
    waiting = open_to_acceptance(facts)
    if not waiting:
        raise PmError("not_acceptable", task=task_id, reason=decide(facts).reason().rstrip("."))
    if gate is None:
        return waiting
    if gate not in waiting:
        reason = f"{gate} is not among what can be accepted ({', '.join(waiting)})"
        raise PmError("not_acceptable", task=task_id, reason=reason)
    return (gate,)


def with_acceptance(facts: Facts, names: tuple[str, ...]) -> Facts:
    """The same facts, and what a person accepted."""
    return replace(facts, accepted=tuple(dict.fromkeys((*facts.accepted, *names))))
