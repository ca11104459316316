"""What stands for a raw log that was pruned: its record, and a later record that names it.

The record keeps the log's hash. The record of the pruning is evidence like any other, so a
tombstone that was altered or added is found as every other altered record is.
"""

from pathlib import Path

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.record import MalformedRecordError, from_json
from pm_orchestrator.domain.tasks.evidence_record import Evidence, Tombstones
from pm_orchestrator.evidence.chain.links import digest, evidence_hash, record_path
from pm_orchestrator.evidence.chain.raw_logs import content
from pm_orchestrator.ports.store import DurableFiles

PRUNE = "prune"
"""The operation, and what stands for its task."""
PROJECT = "project"
"""It belongs to no session."""


def tombstones_in(evidence: Evidence, raw: bytes) -> Tombstones:
    """What the record of a pruning names, `raw` being its raw log.

    Raises:
        MalformedRecordError: E302, it is no list of tombstones.
    """
    try:
        text = content(evidence.raw_logs, raw)
    except ValueError as error:
        name = evidence.evidence_id
        raise MalformedRecordError("evidence_invalid", evidence=name, reason=error) from error
    return from_json(Tombstones, text, evidence.evidence_id)


def is_covered(evidence: Evidence, before: str | None) -> bool:
    """Whether a tombstone for what is older than `before` can be this record's.

    One of a pruning cannot be pruned: it is what tells that others were.
    """
    return before is not None and evidence.timestamp < before and evidence.operation_type != PRUNE


def all_tombstones(files: DurableFiles, claude_dir: Path) -> dict[str, str]:
    """Every pruned record, and what it was older than; the chain is not walked for it."""
    found: dict[str, str] = {}
    for name in files.names(claude_dir / "raw" / PROJECT):
        task, _, rest = name.rpartition("_")
        if task != PRUNE:
            continue
        try:
            path = record_path(claude_dir, f"ev-{rest.partition('.')[0]}")
            evidence = from_json(Evidence, files.read(path), path.name)
            raw = files.read(claude_dir / evidence.raw_logs)
            genuine = evidence.hash == evidence_hash(evidence)
            whole = evidence.raw_evidence_refs == (f"sha256:{digest(raw)}",)
            if genuine and whole and evidence.operation_type == PRUNE:
                stones = tombstones_in(evidence, raw)
                found |= dict.fromkeys(stones.evidence_ids, stones.before)
        except (OSError, PmError):
            # It covers nothing then; `evidence verify` says what is wrong with it.
            continue
    return found
