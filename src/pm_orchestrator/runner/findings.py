"""What was odd about a task: reported, and proof of nothing."""

from typing import Literal

from pm_orchestrator.domain.record import Record
from pm_orchestrator.domain.task_log import LogEventType, VisibilityLevel
from pm_orchestrator.evidence.open_log import OpenLog

OddKind = Literal[
    "unreadable",
    "special",
    "link_outside",
    "history_rewritten",
    "head_moved",
    "written_while_checked",
    "claimed_outside",
    "not_saved",
    "saved",
]


class OddFinding(Record, frozen=True, kw_only=True):
    """One thing worth a look."""

    kind: OddKind
    path: str
    """A file, a commit or a ref, by kind."""
    note: str = ""


async def log_findings(log: OpenLog, findings: tuple[OddFinding, ...]) -> None:
    """Put findings into the task's log, all in one event: a flood costs one write."""
    content = {"findings": [{"kind": f.kind, "path": f.path, "note": f.note} for f in findings]}
    await log.event(LogEventType.FILE_OPERATION, content, VisibilityLevel.FULL)
