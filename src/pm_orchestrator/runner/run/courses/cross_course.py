"""A gate on trees that nobody delivered, to see whether its checks still bite.

Made only where something beside the product was changed, the runs side by side. What they
mean is decided in `gates/cross/cross_runs.py`.
"""

from collections.abc import Mapping
from pathlib import PurePosixPath

from msgspec.structs import replace

from pm_orchestrator.domain.judging.gate import Gate, GateVerdict
from pm_orchestrator.domain.judging.quality import Dilution
from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.gates.compare.check_files import (
    Sides,
    holds_tests,
    is_product_code,
    is_setting,
    is_test,
    module_name,
)
from pm_orchestrator.gates.compare.purpose import Purpose, added_lines, moved_in
from pm_orchestrator.gates.compare.test_ids import file_of, is_example
from pm_orchestrator.gates.cross.canary import Canary, canary_beside
from pm_orchestrator.gates.cross.cross_runs import failing_alone, find_toothless, suspects
from pm_orchestrator.gates.cross.crossing import Changed, Crossing, CrossRun
from pm_orchestrator.gates.cross.no_product import SCRIPT, StandIn, without_content
from pm_orchestrator.gates.cross.old_examples import with_old_examples
from pm_orchestrator.gates.judge.gate_run import GateRun
from pm_orchestrator.gates.weaker.dilution import Trees
from pm_orchestrator.runner.places.place import Judged, TreeEdit
from pm_orchestrator.runner.places.read_texts import ReadTree
from pm_orchestrator.runner.run.courses.other_trees import NoteRun, OtherTrees, cross_run

MOST_EMPTIED = 2000
"""Product files that are emptied; of a larger product the changed ones."""

WORD = LatePattern(r"\w+")


class CrossCourse:
    """The other runs of one gate."""

    def __init__(
        self,
        judged: Judged,
        gate: Gate,
        split: Sides,
        texts: Trees,
        read_now: ReadTree,
        instruction: str,
    ) -> None:
        self._judged = judged
        self._read = read_now
        self._gate = gate
        self._split = split
        self._texts = texts
        self._purpose = Purpose(instruction)
        self._old_examples, self._new_examples = _examples(split, texts)
        """Product files with examples of before in the new code, and the other way round."""
        self.bites = False
        """Whether the gate is red without a product, as it was before."""

    async def run(self, delivered: GateRun, note: NoteRun) -> tuple[Dilution, ...]:
        """What they show against the checks."""
        runs = OtherTrees(self._judged, self._gate, note, delivered.result.duration_ms)
        now, checks, product = cross_run(delivered), self._split.checks, self._split.product
        if self._gate.kind != "test":
            crossing = Crossing(
                delivered=now, old_checks=await runs.on("old_checks", TreeEdit(taken_back=checks))
            )
            return find_toothless(crossing, self._changed(), self._purpose)
        product_files = await self._product_files(delivered)
        canary, emptied = await self._nothing(delivered, product_files)
        laid = emptied if canary is None else {**emptied, canary.path: canary.content}
        old_product = tuple(change for change in product if is_product_code(change.path))
        edits = {"old_checks": TreeEdit(taken_back=checks, contents=self._old_examples)}
        if self._purpose.wants_tests and old_product:
            edits["old_product"] = TreeEdit(taken_back=old_product)
        if laid:
            edits["no_product"] = TreeEdit(contents=laid)
        if emptied and any(change.kind != "created" for change in checks):
            edits["old_no_product"] = TreeEdit(taken_back=checks, contents=emptied)
        if self._tests_the_product(product_files) and delivered.report is not None:
            edits["any_product"] = await self._instead(product_files, "anything")
        ahead: dict[str, TreeEdit] = {}
        if product and self._rewritten():
            # Most likely they will be asked for, and waiting for that takes as long again.
            ahead = {"old_product": self._on_old_product(), "base": self._base()}
        found = await runs.on_all({**ahead, **edits})
        old = found["old_checks"]
        crossing = Crossing(
            delivered=now,
            old_checks=old,
            on_old_product=found.get("old_product") if "old_product" in edits else None,
            on_nothing=found.get("no_product"),
            old_on_nothing=found.get("old_no_product"),
            on_anything=found.get("any_product"),
            as_delivered=await self._as_delivered(runs),
            canary="" if canary is None else canary.name,
        )
        if suspects(crossing):
            failing = await runs.on("errors", await self._instead(product_files, "errors"))
            crossing = replace(crossing, on_errors=failing)
        nothing, was = crossing.on_nothing, crossing.old_on_nothing
        self.bites = nothing is not None and was is not None and not (nothing.green or was.green)
        changed_ends = old is not None and (not old.green or old.executed - now.executed)
        if changed_ends and product and "old_product" not in edits:
            there = found.get("old_product")
            there = there or await runs.on("old_product", self._on_old_product())
            crossing = replace(crossing, on_old_product=there)
        if old is not None and not old.green:
            return await self._blamed(runs, crossing, found)
        # Whether examples that still hold may go is seen from their text.
        held = old is not None and not checks
        return () if held else find_toothless(crossing, self._changed(), self._purpose)

    async def _blamed(
        self, runs: OtherTrees, crossing: Crossing, found: Mapping[str, CrossRun | None]
    ) -> tuple[Dilution, ...]:
        """What red old checks mean; suites side by side may have wanted the same port.

        So failures are excused only by a base that was red alone, and the work is blamed
        only for what fails alone.
        """
        base = found.get("base")
        if base is None or not base.green:
            base = await runs.on("base", self._base())
        old = crossing.old_checks
        crossing = await self._as_meant(runs, replace(crossing, base=base))
        findings = find_toothless(crossing, self._changed(), self._purpose)
        if findings and len(found) > 1 and crossing.old_checks is old:
            alone = TreeEdit(taken_back=self._split.checks, contents=self._old_examples)
            again = await runs.on("old_checks_alone", alone)
            again = replace(crossing, old_checks=again)
            findings = find_toothless(again, self._changed(), self._purpose)
        return findings

    async def _as_delivered(self, runs: OtherTrees) -> CrossRun | None:
        """The tree without what git ignores, where only new tests say that something was done."""
        tests = any(is_test(change.path) for change in self._split.checks)
        made_with_it = self._purpose.wants_tests and not self._purpose.makes_tests_alone
        if self._split.product or not tests or not made_with_it:
            return None
        if self._judged.needs_leavings(self._gate):
            return CrossRun(verdict=GateVerdict.FAIL)
        if not self._split.unseen:
            return None
        return await runs.on("as_delivered", TreeEdit(taken_back=self._split.unseen))

    def _on_old_product(self) -> TreeEdit:
        return TreeEdit(taken_back=self._split.product, contents=self._new_examples)

    def _base(self) -> TreeEdit:
        return TreeEdit(taken_back=(*self._split.checks, *self._split.product))

    def _may_be_blind(self) -> bool:
        """Whether checks may have stopped looking; new tests alone cannot have."""
        touched = any(c.kind != "created" or not holds_tests(c.path) for c in self._split.checks)
        return touched or (self._purpose.wants_tests and not self._split.product)

    def _rewritten(self) -> bool:
        """Whether lines of old checks are gone: as they were, they are likely to be red now."""
        before, after = self._texts.before, self._texts.after
        old = ((before.get(c.path), after.get(c.path)) for c in self._split.checks)
        return any(set(was.splitlines()) - set((now or "").splitlines()) for was, now in old if was)

    async def _as_meant(self, runs: OtherTrees, crossing: Crossing) -> Crossing:
        """The old tests where the tree around them is what the task makes of it.

        Settings that were asked for count as product, and tests that were moved with them
        are found by the old ones; a layout that moved needs the new ones; and what was
        renamed has to be called by its new name.
        """
        now, old, base = crossing.delivered, crossing.old_checks, crossing.base
        if old is None or base is None or not failing_alone(now, old, base):
            return crossing
        checks, changed = self._split.checks, self._changed()
        tests = tuple(change for change in checks if is_test(change.path))
        settings = tuple(change for change in self._split.product if is_setting(change.path))
        ways: list[tuple[str, TreeEdit]] = []
        if settings:
            ways.append(("old_settings", TreeEdit(taken_back=(*checks, *settings))))
        if len(tests) < len(checks) and now.by_test and not base.executed & old.failed:
            ways.append(("old_tests", TreeEdit(taken_back=tests)))
        if self._purpose.moves:
            moved = moved_in(changed.before, self._moved_paths())
            if moved:
                ways.append(("moved", TreeEdit(taken_back=checks, contents=moved)))
        renamed = self._purpose.renamed_in(changed.before)
        if renamed:
            ways.append(("renamed", TreeEdit(taken_back=checks, contents=renamed)))
        for label, edit in ways:
            again = await runs.on(label, edit)
            if again is not None and again.green and base.passed <= again.passed:
                return replace(crossing, old_checks=again)
            if label == "renamed" or (label == "moved" and self._purpose.only_moves):
                return replace(crossing, old_checks=again or old, called_anew=again is not None)
        return crossing

    def _moved_paths(self) -> dict[str, str]:
        """Where product files were before, and where they are now."""
        product = self._split.product
        came = {PurePosixPath(c.path).name: c.path for c in product if c.kind == "created"}
        gone = (c.path for c in product if c.kind == "deleted")
        return {path: came[name] for path in gone if (name := PurePosixPath(path).name) in came}

    def _tests_the_product(self, product: list[str]) -> bool:
        """Whether tests were written that speak of product code that was changed with them."""
        tests = [c.path for c in self._split.checks if is_test(c.path) and c.kind != "deleted"]
        words = frozenset(
            word for path in tests for word in WORD.findall(self._texts.after.get(path) or "")
        )
        code = [c.path for c in self._split.product if is_product_code(c.path)]
        if not code and self._purpose.wants_tests:
            # Tests of what was there: whatever of it they speak of.
            code = product
        return any(module_name(path) in words for path in code)

    async def _product_files(self, delivered: GateRun) -> list[str]:
        """The code that is no test; of a large product what was changed of it."""
        files, tests = frozenset(await self._judged.files()), _passed(delivered)
        collected = frozenset(file_of(test, files) for test in tests if not is_example(test))
        code = [path for path in sorted(files) if is_product_code(path) and path not in collected]
        if len(code) > MOST_EMPTIED:
            changed = {change.path for change in self._split.product}
            code = [path for path in code if path in changed]
        return code

    async def _nothing(
        self, delivered: GateRun, code: list[str]
    ) -> tuple[Canary | None, Mapping[str, bytes]]:
        """A test that is false, and the product with nothing in it, where they are needed."""
        if not self._may_be_blind():
            return None, {}
        files = frozenset(await self._judged.files())
        emptied = await self._instead(code, "nothing")
        return canary_beside(_passed(delivered), files), emptied.contents

    async def _instead(self, code: list[str], stand_in: StandIn) -> TreeEdit:
        """The tree with something else in the place of the product."""
        laid = {path: without_content(path, await self._text(path), stand_in) for path in code}
        return TreeEdit(contents={path: c for path, c in laid.items() if c is not None})

    async def _text(self, path: str) -> str:
        # Only a script has to be read to know what it would have been asked for.
        content = await self._read(path) if SCRIPT.search(path) else None
        return (content or b"").decode("utf-8", "replace")

    def _changed(self) -> Changed:
        before, after = self._texts.before, self._texts.after
        checks = {change.path for change in self._split.checks} | self._old_examples.keys()
        return Changed(
            before={p: t for p, t in before.items() if p in checks and t is not None},
            after={p: t for p, t in after.items() if p in checks and t is not None},
            added=added_lines(
                (t for p, t in before.items() if p in checks),
                (t for p, t in after.items() if p in checks),
            ),
            product=bool(self._split.product),
            tests=any(is_test(c.path) or not is_setting(c.path) for c in self._split.checks)
            or any(not is_product_code(change.path) for change in self._split.product)
            or bool(self._old_examples),
            only_gone=all(change.kind == "deleted" for change in self._split.checks)
            and not self._old_examples,
        )


def _examples(split: Sides, texts: Trees) -> tuple[dict[str, bytes], dict[str, bytes]]:
    old: dict[str, bytes] = {}
    new: dict[str, bytes] = {}
    for path in (c.path for c in split.product if c.kind == "modified" and c.path.endswith(".py")):
        was, now = texts.before.get(path), texts.after.get(path)
        if was is None or now is None or ">>> " not in was + now:
            continue
        put_back, put_in = with_old_examples(was, now), with_old_examples(now, was)
        if put_back is not None:
            old[path] = put_back.encode()
            new[path] = (put_in or was).encode()
    return old, new


def has_old_examples(split: Sides, texts: Trees) -> bool:
    """Whether examples of before are not in the new product any more."""
    return bool(_examples(split, texts)[0])


def _passed(delivered: GateRun) -> frozenset[str]:
    return frozenset() if delivered.report is None else delivered.report.passed
