"""What was odd about a task: reported, and proof of nothing."""

from collections.abc import Iterable

from pm_orchestrator.domain.history.log_contents import FileOperation
from pm_orchestrator.domain.judging.finding import OddFinding
from pm_orchestrator.domain.judging.outcome import FileChange
from pm_orchestrator.domain.judging.quality import Dilution
from pm_orchestrator.evidence.records.open_log import OpenLog


def edited_tests(
    changes: Iterable[FileChange], diluted: Iterable[Dilution]
) -> tuple[OddFinding, ...]:
    """Files of tests that the task changed, apart from those named as weaker already.

    An edit of a test is no fault; but a test says what it is made to say, so a person may
    want to look.
    """
    from pm_orchestrator.gates.compare.recognised_tests import is_test_file

    named = {finding.path for finding in diluted}
    return tuple(
        OddFinding(kind="test_edited", path=change.path, note=change.kind)
        for change in changes
        if change.kind != "created"
        and is_test_file(change.path)
        and not named & {change.path, change.previous_path}
    )


def noted_findings(findings: Iterable[OddFinding]) -> str:
    """Findings as evidence: one line each."""
    return "\n".join(f"{f.kind} {f.path} {f.note}".rstrip() for f in findings)


async def log_findings(log: OpenLog, findings: tuple[OddFinding, ...]) -> None:
    """Put findings into the task's log, all in one event: a flood costs one write."""
    noted = tuple({"kind": str(f.kind), "path": f.path, "note": f.note} for f in findings)
    await log.add(FileOperation(findings=noted))
