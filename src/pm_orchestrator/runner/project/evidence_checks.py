"""How a run's own evidence stands when its verdict is given."""

import asyncio
from collections.abc import Iterable

from pm_orchestrator.domain.judging.outcome import Reason
from pm_orchestrator.domain.record import from_json
from pm_orchestrator.evidence.records.task_inventory import task_inventory
from pm_orchestrator.runner.layout import RunDirectory
from pm_orchestrator.runner.project.project import Project
from pm_orchestrator.runner.run.run_parts import EvidenceCheck


async def own_evidence(project: Project, evidence_ids: Iterable[str]) -> EvidenceCheck:
    """Whether every record of the run is there and is what was recorded."""
    ids = tuple(dict.fromkeys(evidence_ids))
    found = await asyncio.to_thread(task_inventory, project.files, project.paths.claude, ids)
    return EvidenceCheck(missing=(*found.missing_evidence_operations, *found.integrity_failures))


def receipted(project: Project, directory: RunDirectory) -> tuple[str, ...]:
    """Evidence of every step the run has done, in whichever of its lives that was."""
    from pm_orchestrator.runner.run.receipts import Receipt

    receipts = (
        from_json(Receipt, project.files.read(directory.receipts / name), source=name)
        for name in project.files.names(directory.receipts)
        if name.endswith(".json")
    )
    return tuple(receipt.evidence_id for receipt in receipts)


async def all_evidence(project: Project, evidence_ids: Iterable[str]) -> EvidenceCheck:
    """The same, and a word about what was damaged before: it decides nothing here."""
    # Only a company looks at the whole history.
    from pm_orchestrator.evidence.chain.integrity import check

    ids = frozenset(evidence_ids)
    own = await own_evidence(project, ids)
    report = await asyncio.to_thread(check, project.paths.claude, project.head_file)
    others = [p for p in report.problems if p.evidence_id not in ids]
    if not others:
        return own
    params = {"count": str(len(others)), "first": others[0].path}
    warning = Reason(key="older_evidence_damaged", params=params)
    return EvidenceCheck(missing=own.missing, warnings=(warning,))
