"""QA on one tree, wherever it is: the project's gates, and what became of the checks.

Tests and gate settings are compared with what they were, and what the work adds is
searched for keys. A task that changed nothing and asked for no check pays for neither.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from pm_orchestrator.domain.ids import iso
from pm_orchestrator.domain.judging.gate import Gate, GateKind, GateReport
from pm_orchestrator.domain.judging.outcome import FileChange
from pm_orchestrator.domain.setup.settings import Settings
from pm_orchestrator.domain.tasks.task import LimitViolation
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.gates.detect.detection import KINDS, applicable, only_documents
from pm_orchestrator.gates.judge.hard_limits import MeasuredUse, over_budget, over_time, overruns
from pm_orchestrator.ports.clock import Clock
from pm_orchestrator.runner.places.place import Place, Seen
from pm_orchestrator.runner.records.notes import Notes
from pm_orchestrator.runner.run.facts import Quality, Wanted, absent

if TYPE_CHECKING:
    from pm_orchestrator.gates.weaker.dilution import Trees
    from pm_orchestrator.runner.places.read_texts import ReadTree


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
        self._read: tuple[str, Trees] | None = None

    async def examine(
        self,
        wanted: Wanted,
        seen: Seen,
        gates: tuple[Gate, ...],
        usage: MeasuredUse,
        on_base: GateReport | None = None,
    ) -> Quality:
        """Everything QA has to say about the tree."""
        quality = await self._gates(wanted, seen, gates, on_base)
        tests = 0
        if seen.changes:
            quality, tests = await self._changes(quality, wanted, seen, gates)
        elif not seen.comparable:
            quality = replace(quality, dilution=None)
        return replace(quality, violations=await self._violations(wanted, seen, tests, usage))

    async def _gates(
        self, wanted: Wanted, seen: Seen, gates: tuple[Gate, ...], on_base: GateReport | None
    ) -> Quality:
        texts = bool(gates and seen.changes) and only_documents(seen.changes)
        more = texts and await self._is_more(wanted, seen)
        needed = needed_gates(wanted, seen, gates, more_than_texts=more)
        made: tuple[Gate, ...] = ()
        if seen.changes:
            from pm_orchestrator.runner.run.courses.made_gates import made_gates

            made = await made_gates(self._place, wanted, seen, gates)
        if not made and not any(needed.values()):
            results = tuple(absent(kind) for kind in needed)
            return Quality(report=GateReport(commit=seen.tree, results=results))
        from pm_orchestrator.runner.run.courses.gate_course import CourseParts, GateCourse

        parts = CourseParts(
            place=self._place,
            masker=self._parts.masker,
            note=self._note,
            texts=lambda: self._texts(seen, gates),
        )
        return await GateCourse(parts, wanted, seen, on_base).run(needed, made)

    async def _is_more(self, wanted: Wanted, seen: Seen) -> bool:
        """Whether changed texts are more than words: the task wants more, or code reads them."""
        from pm_orchestrator.runner.instructions.stated.behaviour import asks_for_no_text
        from pm_orchestrator.runner.run.texts_of_code import is_read_by_code

        return asks_for_no_text(wanted.instruction) or await is_read_by_code(self._place, seen)

    async def _changes(
        self, quality: Quality, wanted: Wanted, seen: Seen, gates: tuple[Gate, ...]
    ) -> tuple[Quality, int]:
        """What the changes do to the checks and put into files; and how many tests they touch."""
        from pm_orchestrator.gates.cross.same_behaviour import only_words_changed
        from pm_orchestrator.gates.weaker.dilution import (
            changed_tests,
            find_dilution,
            lost_tests,
        )
        from pm_orchestrator.runner.instructions.words.pasted import spoken, unpasted
        from pm_orchestrator.runner.places.read_texts import secrets_in
        from pm_orchestrator.runner.run.courses.deceptions import deceptions

        place, literals = self._place, self._parts.masker.literals
        tests, dilution, only_words = 0, None, ()
        if seen.comparable:
            trees = await self._texts(seen, gates)
            asked, tried = wanted.instruction, quality.tests_tried
            found = find_dilution(
                trees, seen.changes, gates, asked, own_words=unpasted(asked), tests_tried=tried
            )
            if tried and not quality.tests_seen:
                found = (*found, *lost_tests(trees, seen.changes, asked))
            deceives = await deceptions(place, seen, trees, asked)
            dilution = tuple(dict.fromkeys((*(quality.dilution or ()), *found, *deceives)))
            tests = changed_tests(trees)
            only_words = only_words_changed(trees, seen.changes, asked, spoken(asked))
        if dilution:
            await self._note("dilution", "\n".join(d.say() for d in dilution))
        before, now = trees_of(place, seen)
        secrets = await secrets_in(seen.changes, before, now, literals)
        if secrets:
            await self._note("secrets", "\n".join(secrets))
        found = replace(quality, dilution=dilution, secrets=secrets, only_words=only_words)
        return found, tests

    async def _texts(self, seen: Seen, gates: tuple[Gate, ...]) -> "Trees":
        """The changed files that may be checks, read once."""
        if self._read is None or self._read[0] != seen.tree:
            from pm_orchestrator.runner.places.read_texts import texts_of

            trees = trees_of(self._place, seen)
            recipes = await self._recipes(seen.changes, gates)
            self._read = (seen.tree, await texts_of(seen.changes, *trees, recipes))
        return self._read[1]

    async def _recipes(self, changes: Iterable[FileChange], gates: tuple[Gate, ...]) -> str:
        """What gates run, where a file was changed that may hold settings of it."""
        from pm_orchestrator.gates.weaker.gate_config import tool_name

        if not any(tool_name(change.path) for change in changes):
            return ""
        sources = [await self._place.read_base(path) for path in {g.source for g in gates}]
        commands = [" ".join(gate.argv) for gate in gates]
        return "\n".join((*commands, *((s or b"").decode("utf-8", "replace") for s in sources)))

    async def _violations(
        self, wanted: Wanted, seen: Seen, tests: int, usage: MeasuredUse
    ) -> tuple[LimitViolation, ...]:
        """Limits that were overrun; the work is kept, and a person decides."""
        if not wanted.limited:
            return ()
        settings, now = self._parts.settings, iso(self._parts.clock.now())
        found = (
            *overruns(settings.task_limits.limits(), seen.changes, tests, now, wanted.instruction),
            *over_budget(usage, settings.budgets.tokens, now),
            *over_time(usage, settings.task_limits.seconds, now),
        )
        if found:
            lines = (f"{v.limit_type}: {v.actual_value} > {v.limit_value}" for v in found)
            await self._note("limit_violation", "\n".join(lines))
        return found


def trees_of(place: Place, seen: Seen) -> "tuple[ReadTree, ReadTree]":
    """How files are read from before the task, and from the delivered tree."""

    async def before(path: str) -> bytes | None:
        return await place.read_base(path) if seen.comparable else None

    async def now(path: str) -> bytes | None:
        return await place.read_now(seen, path)

    return before, now


def needed_gates(
    wanted: Wanted, seen: Seen, gates: tuple[Gate, ...], *, more_than_texts: bool = False
) -> dict[GateKind, Gate | None]:
    """By kind, lint first: what the changes call for, and what was asked for."""
    called_for = applicable(gates, seen.changes, more_than_texts=more_than_texts)
    needed = [g for g in gates if g in called_for or g.kind in wanted.asked_gates]
    return {
        kind: next((g for g in needed if g.kind == kind), None)
        for kind in (*KINDS, *wanted.asked_gates)
    }
