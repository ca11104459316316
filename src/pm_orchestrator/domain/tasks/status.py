"""Verdicts, how they combine, and what they tell the shell."""

from collections.abc import Iterable
from enum import StrEnum


class TaskStatus(StrEnum):
    """The verdict on a task. `05` calls the same set OverallStatus for a run."""

    COMPLETE = "COMPLETE"
    INCOMPLETE = "INCOMPLETE"
    ERROR = "ERROR"
    INVALID = "INVALID"
    NO_EVIDENCE = "NO_EVIDENCE"


OverallStatus = TaskStatus

ACCEPTED = "COMPLETE (accepted)"
"""The word in lists for a task that is complete by a person's word, and not by proof."""


# Worst first: the fixed order of `05`, Status Priority.
PRIORITY: tuple[TaskStatus, ...] = (
    TaskStatus.INVALID,
    TaskStatus.ERROR,
    TaskStatus.NO_EVIDENCE,
    TaskStatus.INCOMPLETE,
    TaskStatus.COMPLETE,
)


def aggregate(statuses: Iterable[TaskStatus]) -> TaskStatus:
    """The worst of the given statuses.

    Nothing at all is INCOMPLETE: an empty set of work has proved nothing.
    """
    present = set(statuses)
    return next((s for s in PRIORITY if s in present), TaskStatus.INCOMPLETE)


# NO_EVIDENCE is shown as INCOMPLETE, INVALID as ERROR: people see three words.
SHOWN: dict[TaskStatus, TaskStatus] = {
    TaskStatus.COMPLETE: TaskStatus.COMPLETE,
    TaskStatus.INCOMPLETE: TaskStatus.INCOMPLETE,
    TaskStatus.NO_EVIDENCE: TaskStatus.INCOMPLETE,
    TaskStatus.ERROR: TaskStatus.ERROR,
    TaskStatus.INVALID: TaskStatus.ERROR,
}

EXIT_OK = 0
EXIT_ERROR = 1
EXIT_INCOMPLETE = 2

EXIT_CODES: dict[TaskStatus, int] = {
    TaskStatus.COMPLETE: EXIT_OK,
    TaskStatus.INCOMPLETE: EXIT_INCOMPLETE,
    TaskStatus.ERROR: EXIT_ERROR,
}


def exit_code(status: TaskStatus) -> int:
    """What the process returns to the shell for this verdict."""
    return EXIT_CODES[SHOWN[status]]
