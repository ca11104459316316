"""QA in solo mode: the project's gates, in place, on the tree that is delivered.

A red gate is run once more on the tree from before the task, in a copy, so that failures
which are nobody's task here do not count against the work. What a gate itself changes
is put back. Tests and gate settings are compared with what they were.
"""

import asyncio
import shlex
from collections.abc import Awaitable, Callable
from pathlib import Path

import msgspec
from msgspec.structs import replace

from pm_orchestrator.domain.evidence import Evidence
from pm_orchestrator.domain.gate import Gate, GateKind, GateReport, GateResult, GateVerdict
from pm_orchestrator.domain.ids import iso
from pm_orchestrator.domain.outcome import Facts, FileChange
from pm_orchestrator.domain.quality import BaseComparison, Dilution
from pm_orchestrator.domain.settings import Settings
from pm_orchestrator.domain.task import LimitViolation
from pm_orchestrator.evidence.masking import Masker
from pm_orchestrator.evidence.redaction import redact
from pm_orchestrator.evidence.snapshot import Snapshot
from pm_orchestrator.gates.base_place import gate_files, leads_back
from pm_orchestrator.gates.detection import KINDS, applicable
from pm_orchestrator.gates.dilution import Trees, changed_tests, find_dilution
from pm_orchestrator.gates.hard_limits import Usage, over_budget
from pm_orchestrator.gates.overrun import overruns
from pm_orchestrator.gates.red_base import compare_with_base
from pm_orchestrator.gates.sequence import run_gate
from pm_orchestrator.ports.clock import Clock
from pm_orchestrator.ports.process import CommandResult
from pm_orchestrator.ports.rescue import Saved
from pm_orchestrator.ports.saved_files import BaseCopies, SavedFiles
from pm_orchestrator.runner.put_back import Kept, put_back
from pm_orchestrator.runner.read_texts import texts_of

RunIn = Callable[[Gate, Path], Awaitable[CommandResult]]
Look = Callable[[], Awaitable[Snapshot]]
Note = Callable[[str, str], Awaitable[Evidence]]
"""Takes down one operation: its kind and everything seen."""


class Delivered(msgspec.Struct, frozen=True, kw_only=True):
    """What there is to judge."""

    project: Path
    instruction: str
    gates: tuple[Gate, ...]
    """From before the task."""
    changes: tuple[FileChange, ...]
    tree: Snapshot
    name: str
    """The tree's fingerprint."""
    saved: Saved | None
    """The tree from before the task; None where it could not be kept."""
    usage: Usage
    asked: tuple[GateKind, ...] = ()
    """Gates that are run although no change calls for them."""


class Quality(msgspec.Struct, frozen=True, kw_only=True):
    """What QA found; all of it goes into the facts."""

    report: GateReport
    comparisons: tuple[BaseComparison, ...]
    dilution: tuple[Dilution, ...] | None
    """None when there is nothing to compare with."""
    gate_changes: tuple[str, ...]
    violations: tuple[LimitViolation, ...]

    def into(self, facts: Facts) -> Facts:
        """The facts with all of this in them."""
        known = self.dilution is not None
        return replace(
            facts,
            gates=self.report,
            comparisons=self.comparisons,
            dilution=self.dilution or (),
            # What can be compared in detail need not be suspected as a whole.
            altered_gates=() if known else facts.altered_gates,
            gate_changes=self.gate_changes,
            violations=self.violations,
        )


class QaParts(msgspec.Struct, frozen=True, kw_only=True):
    """What QA stands on."""

    run_in: RunIn
    masker: Masker
    saved_files: SavedFiles
    copies: BaseCopies
    settings: Settings
    clock: Clock
    aside: Path
    """Where files go that a gate changed, when they are put back."""


class SoloQa:
    """Judges one delivered tree."""

    def __init__(self, parts: QaParts, look: Look, note: Note) -> None:
        self._parts = parts
        self._look = look
        self._note = note

    async def examine(self, given: Delivered) -> Quality:
        """Everything QA has to say about the tree."""
        trees = await self._trees(given)
        needed = needed_gates(given)
        kept = await asyncio.to_thread(Kept.of, given.project, given.changes) if needed else None
        results, comparisons = await self._judge(given, needed)
        left = await self._tidy(given, kept) if kept is not None else ()
        dilution = None
        if trees is not None:
            dilution = find_dilution(trees, given.changes, given.gates, given.instruction)
            if dilution:
                await self._note("dilution", "\n".join(d.say() for d in dilution))
        return Quality(
            report=GateReport(commit=given.name, results=results),
            comparisons=comparisons,
            dilution=dilution,
            gate_changes=left,
            violations=await self._violations(given, changed_tests(trees) if trees else 0),
        )

    async def _violations(self, given: Delivered, tests: int) -> tuple[LimitViolation, ...]:
        """Limits that were overrun; the work is kept, and a person decides."""
        settings, now = self._parts.settings, iso(self._parts.clock.now())
        found = (
            *overruns(settings.task_limits.limits(), given.changes, tests, now),
            *over_budget(given.usage, settings.budgets.tokens, now),
        )
        if found:
            lines = (f"{v.limit_type}: {v.actual_value} > {v.limit_value}" for v in found)
            await self._note("limit_violation", "\n".join(lines))
        return found

    async def _judge(
        self, given: Delivered, needed: tuple[Gate, ...]
    ) -> tuple[tuple[GateResult, ...], tuple[BaseComparison, ...]]:
        """Lint first; tests unless lint is plainly worse than before the task."""
        results: list[GateResult] = []
        comparisons: list[BaseComparison] = []
        worse = False
        kinds: list[GateKind] = [*KINDS, *(k for k in given.asked if k not in KINDS)]
        for kind in kinds:
            gate = next((g for g in needed if g.kind == kind), None)
            if gate is not None and worse:
                results.append(_not_reached(gate))
                continue
            result = await self._run(kind, gate, given.project)
            results.append(result)
            # Nothing changed means nothing to compare with: the base is this very tree.
            if gate is not None and result.verdict is GateVerdict.FAIL and given.changes:
                beside = await self._compare(given, gate, result)
                comparisons.append(beside)
                worse = bool(beside.new_failures)
        return tuple(results), tuple(comparisons)

    async def _run(
        self, kind: GateKind, gate: Gate | None, where: Path, label: str = ""
    ) -> GateResult:
        async def run(wanted: Gate) -> CommandResult:
            return await self._parts.run_in(wanted, where)

        if gate is None:
            result = GateResult(kind=kind, verdict=GateVerdict.ABSENT, output="")
        else:
            result = redact(await run_gate(gate, run), self._parts.masker)
        seen = [result.verdict, result.output]
        if result.command:
            code = "none" if result.exit_code is None else result.exit_code
            seen[1:1] = [f"$ {shlex.join(result.command)}", f"exit code: {code}"]
        evidence = await self._note(f"gate_{kind}{label}", "\n".join(seen))
        return replace(result, evidence_id=evidence.evidence_id)

    async def _compare(self, given: Delivered, gate: Gate, now: GateResult) -> BaseComparison:
        unknown = BaseComparison(kind=gate.kind, told_apart=False)
        if given.saved is None:
            return unknown
        async with self._parts.copies.of(given.project, given.saved, given.changes) as copy:
            if copy is None:
                await self._note(f"gate_{gate.kind}_on_base", "no copy of the base could be made")
                return unknown
            base = await self._run(gate.kind, gate, copy, "_on_base")
            texts = await asyncio.to_thread(_texts, gate, copy)
            if any(leads_back(text, given.project) for text in (base.output, *texts)):
                # It may have judged the delivered tree again, and that proves nothing.
                await self._note(f"gate_{gate.kind}_on_base", "the gate led back to the project")
                return unknown
            return compare_with_base(
                base,
                now,
                given.instruction,
                project=str(given.project),
                base_project=str(copy),
            )

    async def _tidy(self, given: Delivered, kept: Kept) -> tuple[str, ...]:
        """Put back what the gates changed; returns what could not be."""
        after = await self._look()
        touched = [p for p, state in given.tree.items() if _digest(after, p) != state.digest]
        added = [p for p in after if p not in given.tree]
        left: list[str] = []
        for path in touched:
            content = kept.content(path)
            if content is None and path not in kept.own and given.saved is not None:
                content = await self._parts.saved_files.read(given.saved, path)
            if content is None or not await asyncio.to_thread(
                put_back, given.project, path, content, given.tree[path], self._parts.aside
            ):
                left.append(path)
        if touched or added:
            lines = [f"put back {p}" for p in touched if p not in left]
            lines += [f"not put back {p}" for p in left] + [f"added {p}" for p in added]
            await self._note("gate_changes", "\n".join(lines))
        return tuple(left)

    async def _trees(self, given: Delivered) -> Trees | None:
        if given.saved is None:
            return None
        saved = given.saved

        async def before(path: str) -> bytes | None:
            return await self._parts.saved_files.read(saved, path)

        return await texts_of(given.project, given.changes, before)


def needed_gates(given: Delivered) -> tuple[Gate, ...]:
    """What the changes call for, and what was asked for."""
    called_for = applicable(given.gates, given.changes)
    return tuple(g for g in given.gates if g in called_for or g.kind in given.asked)


def _texts(gate: Gate, where: Path) -> list[str]:
    files = gate_files(gate.argv, gate.source, where)
    return [file.read_text(encoding="utf-8", errors="replace") for file in files]


def _digest(tree: Snapshot, path: str) -> str | None:
    state = tree.get(path)
    return state.digest if state is not None else None


def _not_reached(gate: Gate) -> GateResult:
    return GateResult(
        kind=gate.kind,
        verdict=GateVerdict.COULD_NOT_RUN,
        output="",
        reason_key="gate_not_reached",
    )
