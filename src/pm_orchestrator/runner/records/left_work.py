"""Work that was stopped before it was judged, in the words in which a task's log ends."""

from pm_orchestrator.domain.judging.outcome import FileChange
from pm_orchestrator.domain.tasks.evidence_record import (
    ArtifactList,
    EvidenceSummary,
    VerifiedFile,
)
from pm_orchestrator.evidence.records.open_log import Closing
from pm_orchestrator.runner.records.task_moments import file_moments


def left_work(
    changes: tuple[FileChange, ...],
    seen_at: str,
    *,
    expected: tuple[str, ...] = (),
    missing: tuple[str, ...] = (),
    unlisted: int = 0,
) -> Closing:
    """The files as they were seen; the end of the log adds its reason."""
    verified = tuple(
        VerifiedFile(
            path=change.path,
            exists=change.kind != "deleted",
            detected_at=seen_at,
            detection_method="diff",
        )
        for change in changes
    )
    absent = set(missing)
    summary = EvidenceSummary(
        files_expected=expected,
        files_verified=tuple(path for path in expected if path not in absent),
        files_missing=missing,
        verification_passed=False,
        verification_reason="",
        verified_files=verified,
    )
    return Closing(
        artifacts=artifact_list(changes, expected),
        verified_files=verified,
        evidence_summary=summary,
        moments=file_moments(changes, unlisted),
    )


def artifact_list(changes: tuple[FileChange, ...], expected: tuple[str, ...]) -> ArtifactList:
    """The changed files by kind of change."""

    def of(*kinds: str) -> tuple[str, ...]:
        return tuple(c.path for c in changes if c.kind in kinds)

    return ArtifactList(
        files_touched=of("created", "modified", "deleted", "renamed"),
        files_expected=expected,
        files_created=of("created", "renamed"),
        files_modified=of("modified"),
        files_deleted=of("deleted"),
    )
