"""A budget of tokens holds even where nobody counts tokens, or counts them wrongly.

Not every executor says what it used. Then something that the Runner can measure stands
in for it, in a fixed order and by a fixed rate. The rates are rough and on the low side;
the clock is the last of them. Where nothing at all can be measured, the limit cannot be
held, and the work stops.

What an executor counts is a claim like any other. It can say that more was used than the
Runner saw go by, but not less.
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import PurePosixPath

import msgspec

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.judging.outcome import FileChange
from pm_orchestrator.domain.tasks.task import LimitViolation, TaskLimits


class MeasuredUse(msgspec.Struct, frozen=True, kw_only=True):
    """What was measured; None where it could not be."""

    tokens: int | None = None
    characters: int | None = None
    """Of everything sent to the executor and received from it."""
    turns: int | None = None
    seconds: int | None = None
    stopped: bool = False
    """The Runner ended it, because its time was over."""


# metric -> tokens per thousand of it, best first.
PROXIES: dict[str, int] = {
    "tokens": 1_000,
    "characters": 250,
    "turns": 500_000,
    "seconds": 10_000,
}


def tokens_used(usage: MeasuredUse) -> tuple[str, int]:
    """The metric that was used and the tokens it stands for.

    Raises:
        PmError: E206 when nothing was measured.
    """
    measured: dict[str, int | None] = {m: getattr(usage, m) for m in PROXIES}
    counts: list[tuple[str, int]] = []
    for metric, rate in PROXIES.items():
        amount = measured[metric]
        # Turns and seconds stand in for a count; they are too rough to contradict one.
        if amount is not None and (not counts or metric == "characters"):
            counts.append((metric, amount * rate // 1_000))
    if not counts:
        raise PmError("limit_unmeasurable", limit="tokens")
    return max(counts, key=lambda count: count[1])


def used_together(uses: Sequence[MeasuredUse]) -> MeasuredUse:
    """What several runs of one task used; what one of them did not measure, others may have."""

    def total(metric: str) -> int | None:
        known = [amount for use in uses if (amount := getattr(use, metric)) is not None]
        return sum(known) if known else None

    return MeasuredUse(**{metric: total(metric) for metric in PROXIES}, stopped=uses[-1].stopped)


def over_budget(usage: MeasuredUse, budget: int | None, seen_at: str) -> tuple[LimitViolation, ...]:
    """The overrun of a budget of tokens, if there is a budget and an overrun.

    Raises:
        PmError: E206 when there is a budget and nothing that could hold it.
    """
    if budget is None:
        return ()
    metric, used = tokens_used(usage)
    if used <= budget:
        return ()
    name = "tokens" if metric == "tokens" else f"tokens by {metric}"
    return (violation(name, budget, used, seen_at),)


def over_time(usage: MeasuredUse, seconds: int, seen_at: str) -> tuple[LimitViolation, ...]:
    """The overrun of the time a task may take, if there is one."""
    taken = usage.seconds or 0
    if usage.stopped:
        # Measured in whole seconds; what was stopped had begun the next one.
        taken = max(taken, seconds + 1)
    return (violation("seconds", seconds, taken, seen_at),) if taken > seconds else ()


def overruns(
    limits: TaskLimits,
    changes: Sequence[FileChange],
    tests: int,
    seen_at: str,
    instruction: str = "",
) -> tuple[LimitViolation, ...]:
    """The limits that the finished work breaks; a person decides about each."""
    files = _files_touched(changes, instruction)
    counted = (("files", limits.max_files, files), ("tests", limits.max_tests, tests))
    return tuple(
        violation(name, allowed, actual, seen_at)
        for name, allowed, actual in counted
        if actual > allowed
    )


def _files_touched(changes: Sequence[FileChange], instruction: str) -> int:
    """How many there are, a moved one once, and none that the person spoke of as going."""
    gone = [c.path for c in changes if c.kind == "deleted"]
    if not gone:
        return len(changes)
    from pm_orchestrator.gates.compare.task_names import names_path

    came = Counter(PurePosixPath(c.path).name for c in changes if c.kind == "created")
    moved = came & Counter(PurePosixPath(path).name for path in gone)
    spoken = sum(names_path(instruction, p) for p in gone if PurePosixPath(p).name not in moved)
    return len(changes) - moved.total() - spoken


def violation(name: str, allowed: int, actual: int, seen_at: str) -> LimitViolation:
    """One overrun limit; nothing goes on after it without a person."""
    return LimitViolation(
        limit_type=name,
        limit_value=allowed,
        actual_value=actual,
        timestamp=seen_at,
        resolution_required=True,
    )
