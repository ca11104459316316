"""What the Runner saw, as events of the task's log: files, gates, missing evidence.

They are written together with the end of the log, so that a flood of files costs one
write, and none of them stands there without the verdict it led to.
"""

from collections.abc import Collection

from pm_orchestrator.domain.history.log_contents import (
    EvidenceMissing,
    FileOperation,
    LogContent,
    RanTests,
)
from pm_orchestrator.domain.judging.gate import GateReport, GateResult
from pm_orchestrator.domain.judging.outcome import FileChange
from pm_orchestrator.domain.tasks.evidence_record import EvidenceSummary
from pm_orchestrator.domain.tasks.status import TaskStatus

LISTED_FILES = 100


def moments(
    status: TaskStatus,
    changes: tuple[FileChange, ...],
    summary: EvidenceSummary,
    gates: GateReport | None,
    *,
    unlisted: int = 0,
    told: Collection[str] = (),
) -> tuple[LogContent, ...]:
    """The events that follow from what was found; runs of gates that were `told` are no news."""
    found: list[LogContent] = [*file_moments(changes, unlisted)]
    found += [
        _ran_tests(r)
        for r in (gates.results if gates is not None else ())
        if r.kind == "test" and r.verdict != "absent" and r.evidence_id not in told
    ]
    if summary.files_missing or status is TaskStatus.NO_EVIDENCE:
        reason = summary.verification_reason
        found.append(EvidenceMissing(files=summary.files_missing, reason=reason))
    return tuple(found)


def file_moments(changes: tuple[FileChange, ...], unlisted: int = 0) -> tuple[FileOperation, ...]:
    """The events for changed files; of many, the rest is counted."""
    named = tuple(FileOperation(operation=c.kind, path=c.path) for c in changes[:LISTED_FILES])
    if len(changes) <= LISTED_FILES:
        return named
    return (*named, FileOperation(operation="more", count=len(changes) - LISTED_FILES + unlisted))


def _ran_tests(result: GateResult) -> RanTests:
    """What the Runner ran and what came of it."""
    return RanTests(
        gate=result.kind,
        command=result.command,
        verdict=result.verdict,
        exit_code=result.exit_code,
        tests_run=result.tests,
        evidence_ref=result.evidence_id,
    )
