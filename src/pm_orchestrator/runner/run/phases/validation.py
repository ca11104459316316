"""COMPLETION_VALIDATION: facts about the whole task become one verdict."""

from collections.abc import Iterator

from msgspec.structs import replace

from pm_orchestrator.domain.history.run_events import VerdictDetail, VerdictEvent
from pm_orchestrator.domain.judging.gate import GateReport, GateVerdict
from pm_orchestrator.domain.judging.outcome import Facts, Reason, VerifiedOutcome
from pm_orchestrator.domain.judging.quality import BaseComparison
from pm_orchestrator.domain.tasks.evidence_record import Artifact
from pm_orchestrator.evidence.records.task_facts import TaskFacts
from pm_orchestrator.gates.judge.completion import decide
from pm_orchestrator.gates.judge.required_tests import rests_on_files
from pm_orchestrator.runner.run.examined import Examined
from pm_orchestrator.runner.run.facts import (
    KnownElsewhere,
    Quality,
    facts_of,
    quality_in,
    wanted_of_task,
)
from pm_orchestrator.runner.run.phases.observing import observe
from pm_orchestrator.runner.run.run_parts import RunParts
from pm_orchestrator.runner.run.steps import Analysis, Integration, ValidateInput, Verdict

VERDICT = "verdict"


class Validation:
    """The body of the sixth phase."""

    def __init__(self, parts: RunParts) -> None:
        self._parts = parts

    async def validate(self, given: ValidateInput) -> Verdict:
        """Look at what is delivered as a whole, and at every receipt."""
        parts = self._parts
        left_out = given.integration.left_out
        facts = await self._facts(given)
        evidence = await parts.check_evidence()
        facts = replace(facts, missing_evidence=evidence.missing)
        if not given.whole:
            facts = replace(
                facts, left_out={t: left_out[t] for t in given.tickets if t in left_out}
            )
        outcome = decide(facts)
        kept = await self._keep(outcome, (*evidence.warnings, *_gates_missing(outcome)))
        if parts.place.splits:
            ended = VerdictDetail(status=outcome.status, reason=outcome.reason())
            await parts.events.publish(VerdictEvent(subject=parts.order.run_id, detail=ended))
        return kept

    async def _facts(self, given: ValidateInput) -> Facts:
        integration = given.integration
        if given.whole and integration.facts is not None:
            # The only part is the task itself, and has just been looked at.
            return self._part(integration.facts)
        parts, wanted = self._parts, wanted_of_task(self._parts.requirement(given.analysis))
        known = self._known(integration)
        expected = dict.fromkeys((*wanted.expected_files, *(known.expected_files if known else ())))
        wanted = replace(wanted, expected_files=tuple(expected))
        asked = (*expected, *wanted.files_to_go, *wanted.files_to_change)
        seen = await parts.place.look(integration.tree, asked, wanted.modes)
        quality = quality_in(known) if known is not None else None
        if quality is None:
            # Nothing was brought together; there is nothing that gates could speak for.
            quality = Quality(report=GateReport(commit=seen.tree, results=()))
        quality = replace(
            quality,
            violations=tuple(v for n in integration.parts for v in self._part(n).violations),
            comparisons=self._compared(quality, given.analysis),
        )
        observed = await observe(parts.place, wanted, seen, given.analysis.refs)
        besides = KnownElsewhere(
            effects=observed.met,
            unmet=observed.unmet,
            blank=observed.blank,
            shortfalls=observed.shortfalls,
        )
        return facts_of(wanted, seen, quality, given.analysis.gates, besides)

    def _compared(self, quality: Quality, analysis: Analysis) -> tuple[BaseComparison, ...]:
        """Red gates beside the base once more: now all that the task names has to be gone."""
        if analysis.on_base is None:
            return quality.comparisons
        from pm_orchestrator.gates.compare.red_base import compare_with_base

        base = {r.kind: r for r in self._parts.kept.read(GateReport, analysis.on_base).results}
        return tuple(
            compare_with_base(base[now.kind], now, self._parts.order.instruction)
            for now in quality.report.results
            if now.verdict is GateVerdict.FAIL and now.kind in base
        )

    def _known(self, integration: Integration) -> Facts | None:
        """What is known of the tree from when it was brought together."""
        if integration.tree is None or integration.facts is None:
            return None
        if integration.facts in integration.parts:
            return self._part(integration.facts)
        return self._parts.kept.read(Facts, integration.facts)

    def _part(self, name: str) -> Facts:
        return self._parts.kept.read(Examined, name).outcome.facts

    async def _keep(self, outcome: VerifiedOutcome, notes: tuple[Reason, ...]) -> Verdict:
        """The verdict, with its facts kept so that a person's acceptance can renew it."""
        order = self._parts.order
        kept = TaskFacts(
            session_id=order.session_id,
            task_id=order.task_id,
            run_id=order.run_id,
            facts=outcome.facts,
            claim=None,
        )
        artifact = await self._parts.facts.keep(kept)
        raw = f"{outcome.status}: {outcome.reason()}"
        # Every file that was verified, with its content where the look at it had it.
        files = (
            Artifact(kind="file", ref=change.path, sha256=change.sha256)
            for change in outcome.facts.changes
        )
        await self._parts.note("validate", raw, artifact, *files)
        return Verdict(
            status=outcome.status,
            reason=outcome.because(),
            facts=await self._parts.kept.keep(VERDICT, outcome.facts),
            notes=notes,
        )


def _gates_missing(outcome: VerifiedOutcome) -> Iterator[Reason]:
    """What no gate could speak for, which a person may want to know beside the verdict."""
    report = outcome.facts.gates
    if rests_on_files(report, (change.path for change in outcome.facts.changes)):
        yield Reason(key="no_test_gate")
    for result in report.results if report is not None else ():
        if result.reason_key == "gate_not_installed":
            params = {"tool": result.command[0], "gate": result.kind}
            yield Reason(key="gate_not_installed", params=params)
