"""Evidence records, exactly the fields of `05`, and the chain that orders them."""

from typing import Literal

from msgspec import UNSET, UnsetType

from pm_orchestrator.domain.record import Record

DetectionMethod = Literal["diff", "executor_claim"]


class Artifact(Record, frozen=True, kw_only=True):
    """A file, commit or stored text that an operation made or used."""

    kind: Literal["file", "commit", "log", "answer", "record"]
    ref: str
    """A path, or a commit id."""
    sha256: str | None = None


class Evidence(Record, frozen=True, kw_only=True):
    """The receipt of one logical operation."""

    evidence_id: str
    timestamp: str
    operation_type: str
    artifacts: tuple[Artifact, ...]
    hash: str
    """SHA-256 over this record with `hash` empty."""
    raw_logs: str
    """Path of the raw log, relative to `.claude`."""
    atomic_operation: bool
    raw_evidence_refs: tuple[str, ...]
    """`sha256:<hex>` of each raw log."""
    integrity_validated: bool
    contains_sensitive_data: bool
    executor_id: str | UnsetType = UNSET


class ChainLink(Record, frozen=True, kw_only=True):
    """One line of `chain.jsonl`: which record follows which."""

    sequence: int
    evidence_id: str
    evidence_hash: str
    previous: str
    """`link` of the line before; zeros for the first."""
    link: str
    """SHA-256 over this line with `link` empty."""


class Tombstones(Record, frozen=True, kw_only=True):
    """The raw log of a pruning: whose raw logs it took away, all older than `before`."""

    before: str
    evidence_ids: tuple[str, ...]


class EvidenceInventory(Record, frozen=True, kw_only=True):
    """What a report says about all evidence of a run."""

    total_evidence_items: int
    missing_evidence_operations: tuple[str, ...]
    integrity_failures: tuple[str, ...]
    raw_evidence_files: tuple[str, ...]


class VerifiedFile(Record, frozen=True, kw_only=True):
    """A file the Runner looked for itself; `path` is relative to the root."""

    path: str
    exists: bool
    detected_at: str
    detection_method: DetectionMethod


class EvidenceSummary(Record, frozen=True, kw_only=True):
    """What verification found, for the task log."""

    files_expected: tuple[str, ...]
    files_verified: tuple[str, ...]
    files_missing: tuple[str, ...]
    verification_passed: bool
    verification_reason: str
    verified_files: tuple[VerifiedFile, ...]


class ArtifactList(Record, frozen=True, kw_only=True):
    """Files a task touched, by kind of change."""

    files_touched: tuple[str, ...] = ()
    files_expected: tuple[str, ...] = ()
    files_created: tuple[str, ...] = ()
    files_modified: tuple[str, ...] = ()
    files_deleted: tuple[str, ...] = ()
