"""The gates on one tree, one after the other.

A red gate is compared with the same gate on the tree from before the task, so that
failures which are nobody's task here do not count against the work.
"""

import shlex
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from msgspec.structs import replace

from pm_orchestrator.domain.judging.gate import Gate, GateKind, GateReport, GateResult, GateVerdict
from pm_orchestrator.domain.judging.outcome import FileChange
from pm_orchestrator.domain.judging.quality import BaseComparison, Dilution
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.evidence.masking.redaction import redact
from pm_orchestrator.gates.compare.red_base import compare_with_base
from pm_orchestrator.gates.judge.gate_run import GateRun, could_not_run, run_gate
from pm_orchestrator.gates.judge.verdicts import stopped_by_make
from pm_orchestrator.ports.process import CommandResult
from pm_orchestrator.runner.instructions.words.pasted import unpasted
from pm_orchestrator.runner.places.place import Judged, OnBase, Place, Seen
from pm_orchestrator.runner.records.notes import Notes
from pm_orchestrator.runner.run.facts import Quality, Wanted, absent, not_installed

if TYPE_CHECKING:
    from pm_orchestrator.gates.weaker.dilution import Trees


class CourseParts(msgspec.Struct, frozen=True, kw_only=True):
    """What running gates stands on."""

    place: Place
    masker: Masker
    note: Notes
    texts: "Callable[[], Awaitable[Trees]]"
    """The changed files that may be checks."""


NAMED_TOOLS = 5


class Crossed(NamedTuple):
    """What a gate on other trees showed."""

    findings: tuple[Dilution, ...] = ()
    tried: bool = False
    """Whether it was seen test by test, or is known to notice a missing product."""
    by_test: bool = False
    """Whether it was seen test by test, so that one that is gone was missed."""


class GateCourse:
    """The gates on one tree, lint first; tests unless lint is plainly worse than before."""

    def __init__(
        self, parts: CourseParts, wanted: Wanted, seen: Seen, on_base: GateReport | None
    ) -> None:
        self._parts = parts
        self._wanted = wanted
        self._seen = seen
        self._on_base = on_base

    async def run(
        self, needed: Mapping[GateKind, Gate | None], made: Sequence[Gate] = ()
    ) -> Quality:
        """What each kind of gate said, beside the base, and what the gates left changed.

        `made` are those that the task itself has made, one of a kind that there was none of.
        """
        judged = await self._parts.place.judged(self._seen)
        results: list[GateResult] = []
        comparisons: list[BaseComparison] = []
        crossed: list[Crossed] = []
        worse = False
        for kind, gate in needed.items():
            if gate is None:
                own = next((each for each in made if each.kind == kind), None)
                results.append(absent(kind) if own is None else await self._tried(judged, own))
                continue
            if gate.not_installed and kind not in self._wanted.asked_gates:
                results.append(not_installed(gate))
                continue
            if worse:
                results.append(could_not_run(gate, "gate_not_reached", ""))
                continue
            ran = await run_gate(gate, judged.run)
            if ran.result.reason_key == "gate_ran_no_test" and gate.otherwise:
                # What else may run them was settled before the task, so nobody can choose.
                await self._noted(ran.result)
                gate = replace(gate, argv=gate.otherwise)
                ran = await run_gate(gate, judged.run)
            if ran.result.reason_key == "gate_target_missing" and self._asked_away(gate):
                results.append(absent(kind))
                continue
            if ran.result.reason_key == "gate_ran_no_test" and await self._has_none(judged, gate):
                results.append(absent(kind))
                continue
            result = await self._noted(ran.result)
            results.append(result)
            # Nothing changed means nothing to compare with: the base is this very tree.
            if result.verdict is GateVerdict.FAIL and self._seen.changes:
                beside = await self._compare(judged, gate, result)
                comparisons.append(beside)
                worse = bool(beside.new_failures)
            ended = result.verdict is not GateVerdict.COULD_NOT_RUN
            if ended and not worse and self._seen.comparable:
                crossed.append(await self._cross(judged, gate, ran))
        return Quality(
            report=GateReport(commit=self._seen.tree, results=tuple(results)),
            comparisons=tuple(comparisons),
            dilution=tuple(dict.fromkeys(d for each in crossed for d in each.findings)),
            tests_tried=any(each.tried for each in crossed),
            tests_seen=any(each.by_test for each in crossed),
            gate_changes=await self._tidy(judged),
        )

    async def _tried(self, judged: Judged, gate: Gate) -> GateResult:
        """What a new gate says: it has to do something and to end, and tests have to hold.

        What a new linter finds in the project is its work.
        """
        result = await self._noted((await run_gate(gate, judged.run)).result)
        finds = gate.kind == "lint" and result.verdict is GateVerdict.FAIL
        return absent(gate.kind) if finds and not stopped_by_make(gate, result) else result

    async def _has_none(self, judged: Judged, gate: Gate) -> bool:
        """Whether there is nothing to run, there was nothing before, and nobody asked for any."""
        from pm_orchestrator.gates.compare.check_files import is_test
        from pm_orchestrator.gates.compare.purpose import Purpose
        from pm_orchestrator.gates.detect.detection import touched_paths

        touched = any(map(is_test, touched_paths(self._seen.changes)))
        if touched or Purpose(self._wanted.instruction).wants_tests:
            return False
        if gate.kind in self._wanted.asked_gates:
            return False
        known = None if self._on_base is None else _result_of(self._on_base, gate.kind)
        if known is None:
            ran = await judged.run_on_base(gate)
            if ran.result is None:
                return False

            async def found(_: Gate) -> CommandResult:
                return ran.result or CommandResult(exit_code=None, stdout=b"", stderr=b"")

            known = (await run_gate(gate, found)).result
        return known.reason_key == "gate_ran_no_test"

    def _altered_tools(self) -> tuple[Dilution, ...]:
        """What tools have installed and the task changed, where no list of packages explains it."""
        from pm_orchestrator.gates.compare.check_files import installs

        unknown, changed = self._seen.unknown_before, self._seen.changes
        if not unknown or installs(self._wanted.instruction, (c.path for c in changed)):
            return ()
        return tuple(
            Dilution(kind="gate_changed", path=path, detail="as it was before is not known")
            for path in unknown[:NAMED_TOOLS]
        )

    def _asked_away(self, gate: Gate) -> bool:
        """Whether the task was to take this very gate away."""
        from pm_orchestrator.gates.compare.task_names import asks_to_remove
        from pm_orchestrator.gates.weaker.asked_settings import is_asked_for

        taken = Dilution(kind="gate_changed", path=gate.source, detail=f"target {gate.kind}")
        asked = unpasted(self._wanted.instruction)
        return asks_to_remove(asked) and is_asked_for(asked, taken)

    async def _cross(self, judged: Judged, gate: Gate, ran: GateRun) -> Crossed:
        """Try the checks on other trees, where the work may have changed them."""
        from pm_orchestrator.gates.compare.check_files import split
        from pm_orchestrator.gates.weaker.asked_settings import asks_for_file

        changed = {path for c in self._seen.changes for path in (c.path, c.previous_path) if path}
        asked = self._wanted.instruction
        # A file that only stands in a pasted log is not asked for.
        said = unpasted(asked)
        named = {path for path in changed if asks_for_file(said, path, gate.kind)}
        expected = await self._expected(gate, changed)
        collected = {*expected, *(() if ran.report is None else ran.report.files)}
        texts = await self._parts.texts()
        of_tools = {*texts.of_tools, *await self._nested_helpers(changed, said)}
        parted = split(gate.kind, self._seen.changes, named, collected, of_tools)
        # An ignored file may decide a gate like any other.
        checks = (*parted.checks, *self._seen.ignored_changes)
        parted = replace(parted, checks=checks, unseen=self._unseen(said))
        from pm_orchestrator.runner.run.courses.cross_course import CrossCourse, has_old_examples

        if not parted.checks and not (gate.kind == "test" and has_old_examples(parted, texts)):
            return Crossed()

        async def read_now(path: str) -> bytes | None:
            return await self._parts.place.read_now(self._seen, path)

        if expected:
            from pm_orchestrator.runner.places.read_texts import with_files

            texts = await with_files(texts, expected, self._parts.place.read_base, read_now)

        course = CrossCourse(judged, gate, parted, texts, read_now, asked)
        findings = (*await course.run(ran, self._noted), *self._altered_tools())
        by_test = gate.kind == "test" and ran.report is not None
        tried = by_test or (gate.kind == "test" and course.bites)
        return Crossed(findings, tried=tried, by_test=by_test)

    def _unseen(self, said: str) -> tuple[FileChange, ...]:
        """Changed files that git ignores and the task does not name, nor installs."""
        from pm_orchestrator.gates.compare.check_files import installs
        from pm_orchestrator.gates.compare.task_names import names_path

        if installs(said, (change.path for change in self._seen.changes)):
            return ()
        return tuple(c for c in self._seen.ignored_changes if not names_path(said, c.path))

    async def _nested_helpers(self, changed: set[str], said: str) -> set[str]:
        """Unasked changes in repositories of their own that tests read, and no product does."""
        inside = {p for p in changed if any(p.startswith(f"{n}/") for n in self._seen.nested)}
        if not inside:
            return inside
        from pm_orchestrator.gates.compare.check_files import is_test
        from pm_orchestrator.gates.compare.task_names import names_path, words_of
        from pm_orchestrator.gates.detect.read_by_code import MOST_BYTES, is_read_by, readers_in

        place, words = self._parts.place, words_of(said)
        readers = [p for p in readers_in(await place.listing()) if p not in inside]
        read = await place.read_some(self._seen, readers, MOST_BYTES)
        texts = {path: content.decode("utf-8", "replace") for path, content in read.items()}
        tests = {path: text for path, text in texts.items() if is_test(path)}
        product = {path: text for path, text in texts.items() if path not in tests}
        return {
            path
            for path in inside
            if not (names_path(said, path) or words_of(path.rpartition("/")[0]) & words)
            if is_read_by(path, tests) and not is_read_by(path, product)
        }

    async def _expected(self, gate: Gate, changed: set[str]) -> set[str]:
        """Changed files that the gate compares results with, or that nobody asked to change."""
        from pm_orchestrator.gates.compare.expectations import compared_with, fed_with
        from pm_orchestrator.gates.compare.task_names import names_path, words_of

        recipe = await self._parts.place.read_base(gate.source) if changed else None
        text, said = (recipe or b"").decode("utf-8", "replace"), self._wanted.instruction
        own = words_of(said)
        fed = (path for path in fed_with(text, changed) if not names_path(said, path))
        unasked = {path for path in fed if not words_of(path.rpartition(".")[0]) & own}
        return {*compared_with(text, changed), *unasked}

    async def _noted(self, result: GateResult, label: str = "") -> GateResult:
        """The result with its evidence, masked."""
        clean = redact(result, self._parts.masker)
        code = "none" if clean.exit_code is None else clean.exit_code
        command = f"$ {shlex.join(clean.command)}\nexit code: {code}"
        seen = f"{clean.verdict}\n{command}\n{clean.output}"
        evidence = await self._parts.note(f"gate_{clean.kind}{label}", seen)
        return replace(clean, evidence_id=evidence.evidence_id)

    async def _compare(self, judged: Judged, gate: Gate, now: GateResult) -> BaseComparison:
        known = None if self._on_base is None else _result_of(self._on_base, gate.kind)
        if known is not None:
            return compare_with_base(known, now, self._wanted.repairs)
        found: list[OnBase] = []

        async def run(wanted: Gate) -> CommandResult:
            found.append(await judged.run_on_base(wanted))
            return found[-1].result or CommandResult(exit_code=None, stdout=b"", stderr=b"")

        base = (await run_gate(gate, run)).result
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


def _result_of(report: GateReport, kind: GateKind) -> GateResult | None:
    return next((r for r in report.results if r.kind == kind), None)
