"""What the Runner saw, as events of the task's log: files, gates, missing evidence.

They are written together with the end of the log, so that a flood of files costs one
write, and none of them stands there without the verdict it led to.
"""

from pm_orchestrator.domain.evidence import EvidenceSummary
from pm_orchestrator.domain.gate import GateReport
from pm_orchestrator.domain.outcome import FileChange
from pm_orchestrator.domain.status import TaskStatus
from pm_orchestrator.domain.task_log import LogEventType, VisibilityLevel
from pm_orchestrator.evidence.open_log import Moment

LISTED_FILES = 100


def moments(
    status: TaskStatus,
    changes: tuple[FileChange, ...],
    summary: EvidenceSummary,
    gates: GateReport | None,
) -> tuple[Moment, ...]:
    """The events that follow from what was found."""
    found = [_file(change) for change in changes[:LISTED_FILES]]
    if len(changes) > LISTED_FILES:
        rest = {"operation": "more", "count": len(changes) - LISTED_FILES}
        found.append((LogEventType.FILE_OPERATION, rest, VisibilityLevel.FULL))
    found += [
        (
            LogEventType.TEST_EXECUTION,
            {"gate": r.kind, "verdict": r.verdict, "exit_code": r.exit_code},
            VisibilityLevel.SUMMARY,
        )
        for r in (gates.results if gates is not None else ())
        if r.kind == "test" and r.verdict != "absent"
    ]
    if summary.files_missing or status is TaskStatus.NO_EVIDENCE:
        content = {"files": list(summary.files_missing), "reason": summary.verification_reason}
        found.append((LogEventType.EVIDENCE_MISSING, content, VisibilityLevel.SUMMARY))
    return tuple(found)


def _file(change: FileChange) -> Moment:
    content = {"operation": change.kind, "path": change.path}
    return LogEventType.FILE_OPERATION, content, VisibilityLevel.FULL
