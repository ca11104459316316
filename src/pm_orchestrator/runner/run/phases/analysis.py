"""REQUIREMENT_ANALYSIS: a verifiable task on solid ground, or one question.

Where work is handed out, the project's own gates are first run on what is there, before a
token is spent: a gate that cannot run on the untouched base could never prove anything.
"""

from msgspec.structs import replace

from pm_orchestrator.domain.judging.effect import IN_HISTORY
from pm_orchestrator.domain.judging.gate import Gate, GateReport
from pm_orchestrator.evidence.masking.redaction import redact
from pm_orchestrator.gates.detect.detection import detect
from pm_orchestrator.gates.detect.documents import is_document
from pm_orchestrator.gates.judge.asked_gates import detect_build
from pm_orchestrator.runner.instructions.clarification import answers_in
from pm_orchestrator.runner.instructions.kinds.sureness import is_unsure
from pm_orchestrator.runner.instructions.kinds.task_types import is_unclear
from pm_orchestrator.runner.instructions.requirement import (
    Requirement,
    names_to_find,
    refuse_overwriting,
    understand,
)
from pm_orchestrator.runner.records.execution_record import was_dispatched
from pm_orchestrator.runner.run.phases.scripts import with_scripts
from pm_orchestrator.runner.run.run_parts import RunParts
from pm_orchestrator.runner.run.steps import Analysis, RunOrder

ON_BASE = "gates/base"
ANALYSED = "analysis"
"""The name under which a run keeps its analysis, for whoever has to look at what it leaves."""


class RequirementAnalysis:
    """The body of the first phase."""

    def __init__(self, parts: RunParts) -> None:
        self._parts = parts

    async def analyse(self, order: RunOrder) -> Analysis:
        """Settle what is asked and what it is judged by."""
        requirement = await self._understand(order)
        await self._parts.place.open()
        requirement = await with_scripts(self._parts.place, await self._resolved(requirement))
        await self._refuse_overwriting(order, requirement)
        read = self._parts.place.read_base
        gates = await detect(self._parts.place, self._parts.settings.gates)
        if "build" in requirement.asked_gates:
            gates += await detect_build(read, self._parts.settings.gates)
        on_base = await self._on_base(requirement, gates)
        in_history = any(effect.kind in IN_HISTORY for effect in requirement.effects)
        refs = await self._parts.place.refs() if in_history else None
        # The instruction may be long, and is in the order already.
        analysis = Analysis(
            requirement=replace(requirement, instruction=""),
            gates=gates,
            refs=refs,
            on_base=on_base,
        )
        await self._parts.kept.keep(ANALYSED, analysis)
        return analysis

    async def _understand(self, order: RunOrder) -> Requirement:
        """With every answer the log knows of."""
        answers = answers_in(self._parts.log.log.events)
        opinion, ask = None, self._parts.second_voice
        unclear = is_unclear(order.instruction) or is_unsure(order.instruction)
        if ask is not None and unclear:
            opinion = await ask(order.instruction, self._parts.log)
        return understand(order.instruction, order.task_id, answers, opinion)

    async def _resolved(self, requirement: Requirement) -> Requirement:
        """With each name as the project knows it; only few tasks need to look for one."""
        place, names = self._parts.place, names_to_find(requirement)
        if not names:
            return requirement
        from pm_orchestrator.runner.instructions.resolving import KnownFiles, resolve_names

        there = {name for name in names if await place.exists(name)}
        log = self._parts.log.log
        project = KnownFiles(
            files=() if there == set(names) else await place.listing(),
            there=frozenset(there),
            root=self._parts.order.project,
            # What an earlier run has made does not make a name unclear.
            may_ask=not was_dispatched(log),
        )
        return resolve_names(requirement, project, answers_in(log.events))

    async def _refuse_overwriting(self, order: RunOrder, requirement: Requirement) -> None:
        log = self._parts.log.log
        if was_dispatched(log):
            # A file that is there now may be the task's own half of the work.
            return
        there = {t.path for t in requirement.targets if await self._parts.place.exists(t.path)}
        refuse_overwriting(requirement, order.task_id, there.__contains__, answers_in(log.events))

    async def _on_base(self, requirement: Requirement, gates: tuple[Gate, ...]) -> str | None:
        """Run the gates on the base, where several will be judged by them.

        Raises:
            PmError: E906 when one cannot run here at all.
        """
        place = self._parts.place
        documents = requirement.expected_files and all(
            map(is_document, (*requirement.expected_files, *requirement.files_to_go))
        )
        if not place.splits or not gates or not requirement.needs_executor or documents:
            return None
        if requirement.wants_answer:
            return None
        from pm_orchestrator.gates.judge.gate_run import run_gate
        from pm_orchestrator.runner.run.phases.preflight import refuse_hopeless

        seen = await place.look(None, ())
        judged = await place.judged(seen)
        there = (g for g in gates if not g.not_installed or g.kind in requirement.asked_gates)
        runs = [await run_gate(gate, judged.run) for gate in there]
        results = [redact(run.result, self._parts.masker) for run in runs]
        report = GateReport(commit=seen.tree, results=tuple(results))
        for result in results:
            await self._parts.note(
                f"gate_{result.kind}_on_base", f"{result.verdict}\n{result.output}"
            )
        for result in results:
            await refuse_hopeless(place, result, place.unbuilt)
        return await self._parts.kept.keep(ON_BASE, report)
