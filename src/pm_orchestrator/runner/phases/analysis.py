"""REQUIREMENT_ANALYSIS in a company run: a verifiable task on solid ground, or one question.

Before a token is spent the base commit is taken in and the project's own gates are
run on it once, because a gate that cannot run on the untouched base could never
prove anything.
"""

from pathlib import Path

from pm_orchestrator.gates.detection import detect
from pm_orchestrator.runner.clean_checkout import CleanCheckout
from pm_orchestrator.runner.requirements.requirement import refuse_overwriting, understand
from pm_orchestrator.runner.run_parts import RunParts
from pm_orchestrator.runner.steps import Analysis, RunOrder


class RequirementAnalysis:
    """The body of the first phase in a company run."""

    def __init__(self, parts: RunParts, checkout: CleanCheckout) -> None:
        self._parts = parts
        self._checkout = checkout

    async def analyse(self, order: RunOrder) -> Analysis:
        """Settle what is asked and what it starts from."""
        requirement = understand(order.instruction, order.task_id)
        base = await self._parts.repository.import_base(Path(order.project), order.base_ref)

        async def read(path: str) -> bytes | None:
            return await self._parts.repository.read(base, path)

        there = {t.path for t in requirement.targets if await read(t.path) is not None}
        refuse_overwriting(requirement, order.task_id, there.__contains__)
        gates = await detect(read, self._parts.settings.gates)
        return Analysis(
            task_type=requirement.task_type,
            question=None,
            expected_files=requirement.expected_files,
            base=base,
            gates=gates,
            preflight=await self._checkout.check(base, gates, label="preflight"),
        )
