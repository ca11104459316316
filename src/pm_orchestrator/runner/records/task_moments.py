"""What the Runner saw, as events of the task's log: files, gates, missing evidence.

They are written together with the end of the log, so that a flood of files costs one
write, and none of them stands there without the verdict it led to.
"""

from typing import Any

from pm_orchestrator.domain.history.task_log import LogEventType, VisibilityLevel
from pm_orchestrator.domain.judging.gate import GateReport, GateResult
from pm_orchestrator.domain.judging.outcome import FileChange
from pm_orchestrator.domain.tasks.evidence_record import EvidenceSummary
from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.evidence.records.open_log import Moment

LISTED_FILES = 100


def moments(
    status: TaskStatus,
    changes: tuple[FileChange, ...],
    summary: EvidenceSummary,
    gates: GateReport | None,
    *,
    unlisted: int = 0,
) -> tuple[Moment, ...]:
    """The events that follow from what was found."""
    found = [_file(change) for change in changes[:LISTED_FILES]]
    if len(changes) > LISTED_FILES:
        rest = {"operation": "more", "count": len(changes) - LISTED_FILES + unlisted}
        found.append(Moment(LogEventType.FILE_OPERATION, rest, VisibilityLevel.FULL))
    found += [
        Moment(
            LogEventType.TEST_EXECUTION,
            ran_tests(r),
            VisibilityLevel.SUMMARY,
        )
        for r in (gates.results if gates is not None else ())
        if r.kind == "test" and r.verdict != "absent"
    ]
    if summary.files_missing or status is TaskStatus.NO_EVIDENCE:
        content = {"files": list(summary.files_missing), "reason": summary.verification_reason}
        found.append(Moment(LogEventType.EVIDENCE_MISSING, content, VisibilityLevel.SUMMARY))
    return tuple(found)


def ran_tests(result: GateResult) -> dict[str, Any]:
    """What the Runner ran and what came of it."""
    return {
        "gate": result.kind,
        "command": list(result.command),
        "verdict": result.verdict,
        "exit_code": result.exit_code,
        "tests_run": result.tests,
        "evidence_ref": result.evidence_id,
    }


def _file(change: FileChange) -> Moment:
    content = {"operation": change.kind, "path": change.path}
    return Moment(LogEventType.FILE_OPERATION, content, VisibilityLevel.FULL)
