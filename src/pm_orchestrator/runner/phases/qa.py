"""QA: accepted branches come together, and the gates speak again on the whole."""

from pm_orchestrator.agents.merger import Merger
from pm_orchestrator.domain.gate import GateReport
from pm_orchestrator.gates.detection import applicable
from pm_orchestrator.runner.clean_checkout import CleanCheckout
from pm_orchestrator.runner.run_parts import RunParts
from pm_orchestrator.runner.steps import CheckInput, MergeInput, MergeOutput


class QualityAssurance:
    """The bodies of merging and checking."""

    def __init__(self, parts: RunParts, merger: Merger, checkout: CleanCheckout) -> None:
        self._parts = parts
        self._merger = merger
        self._checkout = checkout

    async def merge(self, given: MergeInput) -> MergeOutput:
        """Merge one sub-task; the run decides whether to keep the result."""
        result = await self._merger.merge(given.into, given.commit, given.sub_task)
        return MergeOutput(commit=result.commit, conflicts=result.conflicts)

    async def check(self, given: CheckInput) -> GateReport:
        """The gates on the merged tree."""
        changes = await self._parts.repository.changes(given.base, given.commit)
        gates = applicable(given.gates, changes)
        report = await self._checkout.check(given.commit, gates, label=f"merged {given.label}")
        verdicts = {r.kind: r.verdict.value for r in report.results}
        await self._parts.events.publish("merged", given.label, commit=given.commit, gates=verdicts)
        return report
