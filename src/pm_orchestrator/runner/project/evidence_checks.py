"""How a run's own evidence stands when its verdict is given."""

import asyncio
from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING

from pm_orchestrator.domain.judging.outcome import Reason
from pm_orchestrator.domain.record import from_json
from pm_orchestrator.domain.tasks.phase import FIRST_PHASE, Phase
from pm_orchestrator.evidence.chain.links import linked
from pm_orchestrator.evidence.records.task_inventory import task_inventory
from pm_orchestrator.runner.layout import RunDirectory
from pm_orchestrator.runner.project.project import Project
from pm_orchestrator.runner.run.run_parts import EvidenceCheck
from pm_orchestrator.runner.run.steps import ENTER_PHASE

if TYPE_CHECKING:
    from pm_orchestrator.runner.run.receipts import Receipt


async def own_evidence(
    project: Project,
    hashes: Mapping[str, str],
    earlier: Collection[str] = (),
    lost: Mapping[str, str] | None = None,
) -> EvidenceCheck:
    """Whether every record of the task is there and is what was recorded.

    `hashes` are those of this run's records, by their ids. What was recorded `earlier` has to
    be what the chain commits. `lost` is what was seen to go meanwhile, by the record it belongs
    to; where that is of another task, it is a warning.
    """
    claude, gone = project.paths.claude, lost or {}
    if before := frozenset(earlier) - hashes.keys():
        committed = await asyncio.to_thread(linked, claude, before)
        # A record that no line commits has no hash that could be right.
        hashes = {**{name: committed.get(name, "") for name in sorted(before)}, **hashes}
    found = await asyncio.to_thread(task_inventory, project.files, claude, hashes, hashes)
    own = (*(name for name in gone if name in hashes), *found.missing_evidence_operations)
    missing = tuple(dict.fromkeys((*own, *found.integrity_failures)))
    others = _not_pruned(project, {n: path for n, path in gone.items() if n not in hashes})
    return EvidenceCheck(missing=missing, warnings=damaged(others))


def receipted(project: Project, directory: RunDirectory) -> tuple[str, ...]:
    """Evidence of every step the run has done, in whichever of its lives that was."""
    return tuple(receipt.evidence_id for receipt in _receipts(project, directory))


def phase_reached(project: Project, directory: RunDirectory) -> Phase:
    """The phase a run was in when it was cut off, by what it has on record."""
    entered = {
        receipt.output["phase"]
        for receipt in _receipts(project, directory)
        if receipt.step == ENTER_PHASE.name
    }
    return max((p for p in Phase if p in entered), key=list(Phase).index, default=FIRST_PHASE)


def _receipts(project: Project, directory: RunDirectory) -> "Iterator[Receipt]":
    from pm_orchestrator.runner.run.receipts import Receipt

    for name in project.files.names(directory.receipts):
        if name.endswith(".json"):
            yield from_json(Receipt, project.files.read(directory.receipts / name), source=name)


async def all_evidence(
    project: Project, hashes: Mapping[str, str], earlier: Collection[str]
) -> EvidenceCheck:
    """The same, and a word about what was damaged before: it decides nothing here."""
    # Only a company looks at the whole history.
    from pm_orchestrator.evidence.chain.integrity import check

    own = await own_evidence(project, hashes, earlier)
    ids = frozenset((*hashes, *earlier))
    report = await asyncio.to_thread(check, project.paths.claude, project.head_file)
    broken = (p.evidence_id for p in report.problems if p.evidence_id is not None)
    missing = (*own.missing, *(name for name in broken if name in ids))
    others = [p.path for p in report.problems if p.evidence_id not in ids]
    return EvidenceCheck(missing=tuple(dict.fromkeys(missing)), warnings=damaged(others))


def _not_pruned(project: Project, lost: Mapping[str, str]) -> list[str]:
    if not lost:
        return []
    from pm_orchestrator.evidence.chain.tombstones import all_tombstones

    stones = all_tombstones(project.files, project.paths.claude)
    return [path for name, path in lost.items() if name not in stones]


def damaged(paths: list[str]) -> tuple[Reason, ...]:
    """A word about evidence of other tasks that does not hold any more."""
    if not paths:
        return ()
    params = {"count": str(len(paths)), "first": paths[0]}
    return (Reason(key="older_evidence_damaged", params=params),)
