"""QA of the whole: delivered branches come together, and the tree is judged again."""

from typing import Any

from pm_orchestrator.domain.history.run_events import MergedDetail, MergedEvent
from pm_orchestrator.domain.judging.gate import GateReport
from pm_orchestrator.domain.judging.outcome import Facts
from pm_orchestrator.gates.judge.completion import decide
from pm_orchestrator.gates.judge.hard_limits import MeasuredUse
from pm_orchestrator.ports.engine import Step
from pm_orchestrator.runner.instructions.requirement import Requirement
from pm_orchestrator.runner.run.examined import Examined, examination
from pm_orchestrator.runner.run.facts import Wanted, facts_of
from pm_orchestrator.runner.run.run_parts import RunParts
from pm_orchestrator.runner.run.steps import (
    CHECK,
    MERGE,
    CheckInput,
    Examination,
    MergeInput,
    MergeOutput,
    StepWork,
)


def merging(parts: RunParts) -> dict[Step[Any, Any], StepWork]:
    """The steps of a run whose place has branches to merge."""
    integrating = Integrating(parts)
    return {MERGE: integrating.merge, CHECK: integrating.check}


class Integrating:
    """The bodies of merging and checking."""

    def __init__(self, parts: RunParts) -> None:
        self._parts = parts

    async def merge(self, given: MergeInput) -> MergeOutput:
        """Merge one sub-task; the run decides whether to keep the result."""
        result = await self._parts.place.merge(given.into, given.commit, given.sub_task)
        return MergeOutput(commit=result.commit, conflicts=result.conflicts[:20])

    async def check(self, given: CheckInput) -> Examination:
        """The merged tree, by the same rules as its parts."""
        parts = self._parts
        found = [parts.kept.read(Examined, name).outcome.facts for name in given.parts]
        wanted = merged_parts(parts.requirement(given.analysis), found)
        seen = await parts.place.look(given.tree, wanted.expected_files)
        on_base = given.analysis.on_base
        report = None if on_base is None else parts.kept.read(GateReport, on_base)
        quality = await parts.judge().examine(
            wanted, seen, given.analysis.gates, MeasuredUse(), report
        )
        outcome = decide(facts_of(wanted, seen, quality, given.analysis.gates))
        name = await parts.kept.keep(f"{given.label}/merged", outcome.facts)
        verdicts = {str(r.kind): r.verdict for r in quality.report.results}
        merged = MergedDetail(commit=given.tree, gates=verdicts)
        await parts.events.publish(MergedEvent(subject=given.label, detail=merged))
        return examination(outcome, name)


def merged_parts(requirement: Requirement, parts: list[Facts]) -> Wanted:
    """What the parts that are in a tree ask for together; each had its own limits."""
    expected = dict.fromkeys(path for facts in parts for path in facts.expected_files)
    return Wanted(
        instruction=requirement.instruction,
        repairs="",
        expected_files=tuple(expected),
        may_be_empty=requirement.may_be_empty,
        limited=False,
    )
