"""Claims and outcomes, kept apart by type.

An executor says an `ExecutorClaim`; the Runner finds `Facts`; only
`gates/completion.py` turns facts into a `VerifiedOutcome`.
"""

from typing import Literal

from pm_orchestrator.domain.gate import GateReport
from pm_orchestrator.domain.record import Record
from pm_orchestrator.domain.status import TaskStatus

ChangeKind = Literal["created", "modified", "deleted", "renamed"]
ClaimKind = Literal["finished", "gave_up", "failed"]


class FileChange(Record, frozen=True, kw_only=True):
    """A difference the Runner saw between two trees."""

    path: str
    kind: ChangeKind
    size: int
    """Bytes afterwards; 0 for a deletion."""
    previous_path: str | None = None


class CommitInfo(Record, frozen=True, kw_only=True):
    """A commit on an agent's branch."""

    sha: str
    subject: str


class ExecutorClaim(Record, frozen=True, kw_only=True):
    """What an executor says it did. Kept and shown; never believed."""

    kind: ClaimKind
    summary: str
    claimed_files: tuple[str, ...] = ()
    turns: int = 0
    tokens: int = 0


class Facts(Record, frozen=True, kw_only=True):
    """What the Runner itself established about one piece of work."""

    commit: str | None
    """The delivered commit, or None when nothing new was delivered."""
    changes: tuple[FileChange, ...]
    expected_files: tuple[str, ...]
    missing_files: tuple[str, ...]
    """Expected or claimed files that are not in the delivered tree."""
    gates: GateReport | None
    missing_evidence: tuple[str, ...] = ()


class VerifiedOutcome(Record, frozen=True, kw_only=True):
    """The Runner's verdict with its reason; built in one place only."""

    status: TaskStatus
    reason: str
    facts: Facts
