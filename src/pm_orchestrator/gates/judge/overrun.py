"""Was a task larger than it may be? Counted afterwards, from what was really done."""

from collections.abc import Sequence

from pm_orchestrator.domain.judging.outcome import FileChange
from pm_orchestrator.domain.tasks.task import LimitViolation, TaskLimits


def overruns(
    limits: TaskLimits, changes: Sequence[FileChange], tests: int, seen_at: str
) -> tuple[LimitViolation, ...]:
    """The limits that the finished work breaks; a person decides about each."""
    counted = (("files", limits.max_files, len(changes)), ("tests", limits.max_tests, tests))
    return tuple(
        violation(name, allowed, actual, seen_at)
        for name, allowed, actual in counted
        if actual > allowed
    )


def violation(name: str, allowed: int, actual: int, seen_at: str) -> LimitViolation:
    """One overrun limit; nothing goes on after it without a person."""
    return LimitViolation(
        limit_type=name,
        limit_value=allowed,
        actual_value=actual,
        timestamp=seen_at,
        resolution_required=True,
    )
