"""What a person permitted a task: calls that its executor was denied, and an explicit yes.

It is read from the log of the task, so that every later run of it has the same rights.
"""

from collections.abc import Iterable

from pm_orchestrator.domain.errors import NeedsPersonError
from pm_orchestrator.domain.history.log_contents import (
    ExecutorOutput,
    RunnerClarification,
    UserResponse,
    contents,
)
from pm_orchestrator.domain.history.task_log import LogEvent
from pm_orchestrator.runner.instructions.clarification import says_yes

NAMED = 5


def denied_question(calls: tuple[str, ...]) -> NeedsPersonError:
    """May it do this?"""
    more = f" (+{len(calls) - NAMED})" if len(calls) > NAMED else ""
    return NeedsPersonError("executor_denied", calls="; ".join(calls[:NAMED]) + more)


def permitted_in(events: Iterable[LogEvent], answer: str | None = None) -> frozenset[str]:
    """The calls; `answer` is what is said now to the question that is open."""
    denied: tuple[str, ...] = ()
    asked: str | None = None
    permitted = set[str]()
    said = [*contents(events, ExecutorOutput, RunnerClarification, UserResponse)]
    if answer is not None:
        said.append(UserResponse(response=answer))
    for each in said:
        match each:
            case ExecutorOutput():
                denied = each.denied_calls
            case RunnerClarification():
                asked = each.question
            case UserResponse():
                if denied and asked == denied_question(denied).what() and says_yes(each.response):
                    permitted.update(denied)
                asked = None
    return frozenset(permitted)
