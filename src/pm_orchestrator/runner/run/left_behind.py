"""What there is of work that was stopped before anybody judged it: seen all the same.

A prompt, a crash, a timer or a person may end a run in the middle. What its executor had
written by then stands in the task's log and report, and a person can still accept it.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.ids import iso
from pm_orchestrator.domain.judging.gate import GateReport
from pm_orchestrator.domain.judging.outcome import Facts, FileChange
from pm_orchestrator.evidence.records.task_facts import TaskFacts
from pm_orchestrator.runner.places.place import Seen
from pm_orchestrator.runner.records.left_work import left_work
from pm_orchestrator.runner.run.facts import Quality, facts_of, wanted_of_task
from pm_orchestrator.runner.run.phases.analysis import ANALYSED
from pm_orchestrator.runner.run.phases.validation import VERDICT
from pm_orchestrator.runner.run.run_parts import RunParts
from pm_orchestrator.runner.run.steps import Analysis

IN_PLACE: tuple[str | None, ...] = (None,)
"""The one tree of a place that has no others."""


async def note_left(parts: RunParts, trees: Sequence[str | None] = IN_PLACE) -> None:
    """Look at what is in `trees` and hand it to the task's log, for its end.

    What ended the run is what a person is told: where nothing can be seen, nothing is said.
    """
    if not trees:
        return
    try:
        facts = _judged(parts)
        if facts is None:
            facts = await _seen(parts, trees)
            await _keep(parts, facts)
    except (PmError, OSError):
        return
    if facts.changes:
        now = iso(parts.clock.now())
        parts.log.note_left(
            left_work(
                facts.changes,
                now,
                expected=facts.expected_files,
                missing=facts.missing_files,
                unlisted=facts.unlisted_changes,
            )
        )


def _judged(parts: RunParts) -> Facts | None:
    """What was found by a run that came to its verdict, and stopped after that."""
    try:
        return parts.kept.read(Facts, VERDICT)
    except FileNotFoundError:
        return None


async def _seen(parts: RunParts, trees: Sequence[str | None]) -> Facts:
    analysis = parts.kept.read(Analysis, ANALYSED)
    wanted = wanted_of_task(parts.requirement(analysis))
    asked = (*wanted.expected_files, *wanted.files_to_go, *wanted.files_to_change)
    looks = [await parts.place.look(tree, asked, wanted.modes) for tree in trees]
    seen = _together(looks)
    quality = Quality(report=GateReport(commit=seen.tree, results=()))
    # No gate was run on it, and that is what it lacks.
    return replace(facts_of(wanted, seen, quality, analysis.gates), gates=None)


def _together(looks: Sequence[Seen]) -> Seen:
    """Several trees as one: what is in any of them is there."""
    changes: dict[str, FileChange] = {c.path: c for seen in looks for c in seen.changes}
    absent = frozenset[str].intersection(*(seen.absent for seen in looks))
    every = tuple(changes[path] for path in sorted(changes))
    return replace(looks[0], changes=every, absent=absent)


async def _keep(parts: RunParts, facts: Facts) -> None:
    """Put it on record; where the run itself can be taken up again, its own verdict will be."""
    if not facts.changes or parts.place.splits:
        return
    order = parts.order
    kept = TaskFacts(
        session_id=order.session_id,
        task_id=order.task_id,
        run_id=order.run_id,
        facts=facts,
        claim=None,
    )
    artifact = await parts.facts.keep(kept)
    lines = (f"{change.kind} {change.path}" for change in facts.changes)
    await parts.note("left_behind", "\n".join(lines), artifact)
