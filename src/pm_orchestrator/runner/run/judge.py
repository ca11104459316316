"""QA on one tree, wherever it is: the project's gates, and what became of the checks.

A red gate is compared with the same gate on the tree from before the task, so that
failures which are nobody's task here do not count against the work. Tests and gate
settings are compared with what they were, and what the work adds is searched for keys.
"""

import shlex

import msgspec
from msgspec.structs import replace

from pm_orchestrator.domain.ids import iso
from pm_orchestrator.domain.judging.gate import Gate, GateKind, GateReport, GateResult, GateVerdict
from pm_orchestrator.domain.judging.quality import BaseComparison
from pm_orchestrator.domain.setup.settings import Settings
from pm_orchestrator.domain.tasks.task import LimitViolation
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.evidence.masking.redaction import redact
from pm_orchestrator.gates.compare.dilution import Trees, changed_tests, find_dilution
from pm_orchestrator.gates.compare.red_base import compare_with_base
from pm_orchestrator.gates.detect.detection import KINDS, applicable
from pm_orchestrator.gates.judge.gate_run import could_not_run, run_gate
from pm_orchestrator.gates.judge.hard_limits import MeasuredUse, over_budget, overruns
from pm_orchestrator.ports.clock import Clock
from pm_orchestrator.ports.process import CommandResult
from pm_orchestrator.runner.places.place import Judged, OnBase, Place, Seen
from pm_orchestrator.runner.places.read_texts import secrets_in, texts_of
from pm_orchestrator.runner.records.notes import Notes
from pm_orchestrator.runner.run.facts import Quality, Wanted


class JudgeParts(msgspec.Struct, frozen=True, kw_only=True):
    """What judging stands on."""

    place: Place
    masker: Masker
    settings: Settings
    clock: Clock
    note: Notes


class Judge:
    """Finds out about one tree after the other."""

    def __init__(self, parts: JudgeParts) -> None:
        self._parts = parts
        self._place = parts.place
        self._note = parts.note

    async def examine(
        self,
        wanted: Wanted,
        seen: Seen,
        gates: tuple[Gate, ...],
        usage: MeasuredUse,
        on_base: GateReport | None = None,
    ) -> Quality:
        """Everything QA has to say about the tree."""
        trees = await self._trees(seen)
        course = _Course(self._parts, wanted, seen, on_base)
        results, comparisons, left = await course.run(needed_gates(wanted, seen, gates))
        dilution = None
        if trees is not None:
            dilution = find_dilution(trees, seen.changes, gates, wanted.instruction)
            if dilution:
                await self._note("dilution", "\n".join(d.say() for d in dilution))
        return Quality(
            report=GateReport(commit=seen.tree, results=results),
            comparisons=comparisons,
            dilution=dilution,
            gate_changes=left,
            violations=await self._violations(wanted, seen, trees, usage),
            secrets=await self._secrets(seen),
        )

    async def _violations(
        self, wanted: Wanted, seen: Seen, trees: Trees | None, usage: MeasuredUse
    ) -> tuple[LimitViolation, ...]:
        """Limits that were overrun; the work is kept, and a person decides."""
        if not wanted.limited:
            return ()
        settings, now = self._parts.settings, iso(self._parts.clock.now())
        tests = changed_tests(trees) if trees is not None else 0
        found = (
            *overruns(settings.task_limits.limits(), seen.changes, tests, now),
            *over_budget(usage, settings.budgets.tokens, now),
        )
        if found:
            lines = (f"{v.limit_type}: {v.actual_value} > {v.limit_value}" for v in found)
            await self._note("limit_violation", "\n".join(lines))
        return found

    async def _trees(self, seen: Seen) -> Trees | None:
        if not seen.comparable:
            return None
        place = self._place
        return await texts_of(seen.changes, place.read_base, lambda p: place.read_now(seen, p))

    async def _secrets(self, seen: Seen) -> tuple[str, ...]:
        place = self._place

        async def before(path: str) -> bytes | None:
            return await place.read_base(path) if seen.comparable else None

        found = await secrets_in(
            seen.changes, before, lambda p: place.read_now(seen, p), self._parts.masker.literals
        )
        if found:
            await self._note("secrets", "\n".join(found))
        return found


class _Course:
    """The gates on one tree, lint first; tests unless lint is plainly worse than before."""

    def __init__(
        self, parts: JudgeParts, wanted: Wanted, seen: Seen, on_base: GateReport | None
    ) -> None:
        self._parts = parts
        self._wanted = wanted
        self._seen = seen
        self._on_base = on_base

    async def run(
        self, needed: tuple[Gate, ...]
    ) -> tuple[tuple[GateResult, ...], tuple[BaseComparison, ...], tuple[str, ...]]:
        """What each kind of gate said, beside the base, and what the gates left changed."""
        judged = await self._parts.place.judged(self._seen) if needed else None
        results: list[GateResult] = []
        comparisons: list[BaseComparison] = []
        worse = False
        asked = self._wanted.asked_gates
        kinds: list[GateKind] = [*KINDS, *(k for k in asked if k not in KINDS)]
        for kind in kinds:
            gate = next((g for g in needed if g.kind == kind), None)
            if gate is None or judged is None:
                results.append(await self._noted(_absent(kind)))
                continue
            if worse:
                results.append(could_not_run(gate, "gate_not_reached", ""))
                continue
            result = await self._noted(await run_gate(gate, judged.run))
            results.append(result)
            # Nothing changed means nothing to compare with: the base is this very tree.
            if result.verdict is GateVerdict.FAIL and self._seen.changes:
                beside = await self._compare(judged, gate, result)
                comparisons.append(beside)
                worse = bool(beside.new_failures)
        left = await self._tidy(judged) if judged is not None else ()
        return tuple(results), tuple(comparisons), left

    async def _noted(self, result: GateResult, label: str = "") -> GateResult:
        """The result with its evidence, masked."""
        clean = redact(result, self._parts.masker)
        seen = [clean.verdict, clean.output]
        if clean.command:
            code = "none" if clean.exit_code is None else clean.exit_code
            seen[1:1] = [f"$ {shlex.join(clean.command)}", f"exit code: {code}"]
        evidence = await self._parts.note(f"gate_{clean.kind}{label}", "\n".join(seen))
        return replace(clean, evidence_id=evidence.evidence_id)

    async def _compare(self, judged: Judged, gate: Gate, now: GateResult) -> BaseComparison:
        known = None if self._on_base is None else _result_of(self._on_base, gate.kind)
        if known is not None:
            return compare_with_base(known, now, self._wanted.repairs)
        found: list[OnBase] = []

        async def run(wanted: Gate) -> CommandResult:
            found.append(await judged.run_on_base(wanted))
            return found[-1].result or CommandResult(exit_code=None, stdout=b"", stderr=b"")

        base = await run_gate(gate, run)
        if not found or found[-1].result is None:
            why = found[-1].why if found else base.output
            await self._parts.note(f"gate_{gate.kind}_on_base", why)
            return BaseComparison(kind=gate.kind, told_apart=False)
        return compare_with_base(
            await self._noted(base, "_on_base"),
            now,
            self._wanted.repairs,
            project=found[-1].project,
            base_project=found[-1].base_project,
        )

    async def _tidy(self, judged: Judged) -> tuple[str, ...]:
        left, lines = await judged.tidy()
        if lines:
            await self._parts.note("gate_changes", "\n".join(lines))
        return left


def needed_gates(wanted: Wanted, seen: Seen, gates: tuple[Gate, ...]) -> tuple[Gate, ...]:
    """What the changes call for, and what was asked for."""
    called_for = applicable(gates, seen.changes)
    return tuple(g for g in gates if g in called_for or g.kind in wanted.asked_gates)


def _absent(kind: GateKind) -> GateResult:
    return GateResult(kind=kind, verdict=GateVerdict.ABSENT, output="")


def _result_of(report: GateReport, kind: GateKind) -> GateResult | None:
    return next((r for r in report.results if r.kind == kind), None)
