"""The seven phases and the only transition table.

Order is the safety property here: a run that skips validation can claim
anything. So the next phase is looked up, never computed, and a phase that is
not in the table has no successor.
"""

from enum import StrEnum

from pm_orchestrator.domain.errors import PmError


class Phase(StrEnum):
    """The life of a task, in order."""

    REQUIREMENT_ANALYSIS = "REQUIREMENT_ANALYSIS"
    TASK_DECOMPOSITION = "TASK_DECOMPOSITION"
    PLANNING = "PLANNING"
    EXECUTION = "EXECUTION"
    QA = "QA"
    COMPLETION_VALIDATION = "COMPLETION_VALIDATION"
    REPORT = "REPORT"


FIRST_PHASE = Phase.REQUIREMENT_ANALYSIS
NEXT_PHASE: dict[Phase, Phase] = dict(zip(list(Phase), list(Phase)[1:], strict=False))


class IllegalTransitionError(PmError):
    """A phase was skipped, repeated or taken out of order: the task is INVALID."""


def enter(current: Phase | None, wanted: Phase) -> Phase:
    """Return `wanted` if it directly follows `current`.

    Raises:
        IllegalTransitionError: for any other move, including standing still.
    """
    expected = FIRST_PHASE if current is None else NEXT_PHASE.get(current)
    if wanted is expected:
        return wanted
    order = list(Phase)
    if expected is not None and order.index(wanted) > order.index(expected):
        raise IllegalTransitionError("phase_skipped", wanted=wanted, expected=expected)
    raise IllegalTransitionError("bad_transition", current=current or "the start", wanted=wanted)
