"""What a command prints with `--json` about the end of a task, or of itself: one shape for all.

Everything of a `RunResult` is in it, as far as there is any of it.
"""

from typing import Literal

from msgspec import field

from pm_orchestrator.domain.errors import NextStep, PmError
from pm_orchestrator.domain.history.report import RunReport, RunResult, Spent, WorkResult
from pm_orchestrator.domain.history.task_log import TaskLog
from pm_orchestrator.domain.judging.finding import OddFinding
from pm_orchestrator.domain.judging.gate import GateReport
from pm_orchestrator.domain.judging.line_changes import ChangedLines
from pm_orchestrator.domain.judging.outcome import ExecutorClaim, FileChange, Reason
from pm_orchestrator.domain.record import Record
from pm_orchestrator.domain.tasks.evidence_record import EvidenceSummary
from pm_orchestrator.domain.tasks.status import (
    EXIT_ERROR,
    EXIT_INCOMPLETE,
    OverallStatus,
    TaskStatus,
    exit_code,
)
from pm_orchestrator.domain.tasks.task import LimitViolation, TaskResult
from pm_orchestrator.domain.text import Lang

WayToEnd = Literal["judged", "asked", "capped", "failed", "interrupted", "refused"]
"""By a verdict; with a question; at a cap on what may be spent; by an error; by a person or a
signal; before anything began."""


class Failure(Record, frozen=True, kw_only=True):
    """An error as it is told on standard error, in the same language."""

    code: str
    what: str
    hint: str


class CommandEnd(Record, frozen=True, kw_only=True):
    """How a task ended, or why it did not begin."""

    ended: WayToEnd
    status: OverallStatus
    exit_code: int
    """What the shell is told."""
    error: Failure | None = None
    session_id: str | None = None
    task_id: str | None = None
    """None where no task has begun."""
    run_id: str | None = None
    result: TaskResult | None = None
    """The end in the words of `05`, with the question where there is one."""
    report: RunReport | None = None
    ticket_id: str | None = None
    reason: Reason | None = None
    """Of a verdict; what an error says stands in `error`."""
    instruction: str | None = None
    changes: tuple[FileChange, ...] = ()
    summary: EvidenceSummary | None = None
    unlisted_changes: int = 0
    lines: tuple[ChangedLines, ...] = ()
    claim: ExecutorClaim | None = None
    gates: GateReport | None = None
    findings: tuple[OddFinding, ...] = ()
    answer: str | None = None
    branch: str | None = None
    commit: str | None = None
    left_out: dict[str, Reason] = field(default_factory=dict)
    work: tuple[WorkResult, ...] = ()
    review_id: str | None = None
    unenforced_limits: tuple[str, ...] = ()
    kept_refs: tuple[str, ...] = ()
    left_to_do: tuple[Reason, ...] = ()
    notes: tuple[Reason, ...] = ()
    violations: tuple[LimitViolation, ...] = ()
    not_proved: tuple[Reason, ...] = ()
    acceptable: tuple[str, ...] = ()
    accepted: tuple[str, ...] = ()
    spent: Spent = Spent()
    evidence_ids: tuple[str, ...] = ()


def judged(result: RunResult) -> CommandEnd:
    """The Runner gave its verdict."""
    found = {name: getattr(result, name) for name in result.__struct_fields__}
    return CommandEnd(ended="judged", exit_code=exit_code(result.status), **found)


def failed(
    error: PmError, lang: Lang, result: TaskResult, log: TaskLog, spent: Spent
) -> CommandEnd:
    """The task came to no verdict, but to an error or a question."""
    ways: dict[NextStep, WayToEnd] = {"ask": "asked", "allow": "capped"}
    return CommandEnd(
        ended=ways.get(error.next_step, "failed"),
        status=result.status,
        exit_code=EXIT_INCOMPLETE if error.is_unfinished else EXIT_ERROR,
        error=_failure(error, lang),
        session_id=log.session_id,
        task_id=log.task_id,
        run_id=log.run_id,
        result=result,
        spent=spent,
    )


def stopped(result: TaskResult | None, log: TaskLog | None, code: int) -> CommandEnd:
    """A person or a signal stopped the task, or the command before there was one."""
    return CommandEnd(
        ended="interrupted",
        status=TaskStatus.INCOMPLETE if result is None else result.status,
        exit_code=code,
        session_id=None if log is None else log.session_id,
        task_id=None if log is None else log.task_id,
        run_id=None if log is None else log.run_id,
        result=result,
    )


def not_begun(error: PmError, lang: Lang) -> CommandEnd:
    """Nothing has begun, or nothing that has a log."""
    waits = error.is_unfinished
    return CommandEnd(
        ended="refused",
        status=TaskStatus.INCOMPLETE if waits else TaskStatus.ERROR,
        exit_code=EXIT_INCOMPLETE if waits else EXIT_ERROR,
        error=_failure(error, lang),
    )


def misused(what: str, hint: str) -> CommandEnd:
    """The command line is not one."""
    failure = Failure(code="E210", what=what, hint=hint)
    return CommandEnd(ended="refused", status=TaskStatus.ERROR, exit_code=EXIT_ERROR, error=failure)


def _failure(error: PmError, lang: Lang) -> Failure:
    return Failure(code=error.code, what=error.what(lang), hint=error.hint(lang))
