"""COMPLETION_VALIDATION: facts about the whole run become one verdict."""

from collections.abc import Awaitable, Callable

from pm_orchestrator.domain.outcome import Facts, VerifiedOutcome
from pm_orchestrator.gates.completion import combine, decide
from pm_orchestrator.gates.detection import altered_gates
from pm_orchestrator.runner.run_parts import RunParts
from pm_orchestrator.runner.steps import ValidateInput

MissingEvidence = Callable[[], Awaitable[tuple[str, ...]]]
"""Operations of this run that have no intact evidence."""


class Validation:
    """The body of the sixth phase."""

    def __init__(self, parts: RunParts, missing_evidence: MissingEvidence) -> None:
        self._parts = parts
        self._missing_evidence = missing_evidence

    async def validate(self, given: ValidateInput) -> VerifiedOutcome:
        """Look at the delivered tree once more, as a whole, and at every receipt."""
        base, commit = given.analysis.base, given.integration.commit
        expected = tuple(dict.fromkeys((*given.analysis.expected_files, *given.expected_files)))
        missing = [f for f in expected if await self._parts.repository.read(commit, f) is None]
        changes = await self._parts.repository.changes(base, commit)
        whole = decide(
            Facts(
                commit=commit if commit != base else None,
                changes=changes,
                expected_files=expected,
                missing_files=tuple(missing),
                gates=given.integration.gates,
                altered_gates=altered_gates(given.analysis.gates, changes, expected),
                missing_evidence=await self._missing_evidence(),
            )
        )
        left_out = given.integration.left_out
        verdict = combine(whole, {ticket: left_out.get(ticket) for ticket in given.tickets})
        await self._parts.events.publish(
            "verdict", given.order.run_id, status=verdict.status, reason=verdict.reason()
        )
        return verdict
