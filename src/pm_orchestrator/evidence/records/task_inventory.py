"""The evidence of one task, looked at again for its report; the whole chain is not walked."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from pm_orchestrator.domain.record import MalformedRecordError, from_json
from pm_orchestrator.domain.tasks.evidence_record import Evidence, EvidenceInventory
from pm_orchestrator.evidence.chain.links import digest, evidence_hash, record_path
from pm_orchestrator.ports.store import DurableFiles


def task_inventory(
    files: DurableFiles,
    claude_dir: Path,
    evidence_ids: Iterable[str],
    hashes: Mapping[str, str] | None = None,
) -> EvidenceInventory:
    """Which of the task's records are there, and whether they are what was recorded.

    `hashes` are those that are known from elsewhere than the records themselves.
    """
    known = hashes or {}
    ids = tuple(evidence_ids)
    missing: list[str] = []
    failed: list[str] = []
    raw_files: list[str] = []
    stones: dict[str, str] | None = None
    for evidence_id in ids:
        try:
            data = files.read(record_path(claude_dir, evidence_id))
            evidence = from_json(Evidence, data, evidence_id)
        except FileNotFoundError:
            missing.append(evidence_id)
            continue
        except MalformedRecordError:
            failed.append(evidence_id)
            continue
        genuine = evidence_hash(evidence) == evidence.hash == known.get(evidence_id, evidence.hash)
        try:
            raw = files.read(claude_dir / evidence.raw_logs)
        except FileNotFoundError:
            # Looked for only here: hardly any task has records that are so old.
            from pm_orchestrator.evidence.chain.tombstones import all_tombstones, is_covered

            stones = all_tombstones(files, claude_dir) if stones is None else stones
            if not (genuine and is_covered(evidence, stones.get(evidence_id))):
                missing.append(evidence_id)
            continue
        raw_files.append(evidence.raw_logs)
        if not genuine or evidence.raw_evidence_refs != (f"sha256:{digest(raw)}",):
            failed.append(evidence_id)
    return EvidenceInventory(
        total_evidence_items=len(ids),
        missing_evidence_operations=tuple(missing),
        integrity_failures=tuple(failed),
        raw_evidence_files=tuple(raw_files),
    )
