"""Which other trees a gate is tried on, in a project whose tests are words of its product."""

import json
from collections.abc import Mapping

import pytest
from msgspec.structs import replace
from typing_extensions import override

from pm_orchestrator.domain.judging.gate import Gate, GateVerdict
from pm_orchestrator.domain.judging.outcome import FileChange
from pm_orchestrator.domain.setup.settings import default_settings
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.gates.judge.hard_limits import MeasuredUse
from pm_orchestrator.ports.process import CommandResult, ReportedResult
from pm_orchestrator.runner.places.place import Seen, TreeEdit
from pm_orchestrator.runner.run.courses import cross_course, other_trees
from pm_orchestrator.runner.run.facts import Quality, Wanted
from pm_orchestrator.runner.run.judge import Judge, JudgeParts
from pm_orchestrator.testing.memory.fake_clock import FakeClock
from pm_orchestrator.testing.memory.memory_place import MemoryPlace
from pm_orchestrator.testing.memory.memory_recorder import MemoryRecorder

TEST = Gate(kind="test", argv=("make", "test"), source="Makefile")
LINT = Gate(kind="lint", argv=("make", "lint"), source="Makefile")
BASE = {"calc.py": b"add sub", "tests/test_calc.py": b"add sub", "ruff.toml": b"strict"}
Files = Mapping[str, bytes]


def ran(tree: Files) -> ReportedResult:
    """A test is a word of a test file; it passes where the product has it, `true` anywhere."""
    product = _words(tree.get("calc.py", b""))
    lines: list[dict[str, object]] = [{"runner": "words", "began": True}]
    red = False
    for path, text in sorted(tree.items()):
        if path.startswith("tests/test_"):
            for word in _words(text):
                held = word in product and word != "canary"
                good = held or word == "true" or b"soft" in tree.get("tests/conftest.py", b"")
                red = red or not good
                outcome = "passed" if good else "failed"
                lines.append({"test": f"{path}::test_{word}", "outcome": outcome})
    lines.append({"runner": "words", "ended": int(red)})
    report = "\n".join(map(json.dumps, lines)).encode()
    return ReportedResult(exit_code=int(red), stdout=b"", stderr=b"", report=report)


def _words(text: bytes) -> list[str]:
    # What is real code here was laid by the Runner: a product of nothing, or a false test.
    return ["canary"] if b"def " in text else text.decode().split()


def silent(tree: Files) -> CommandResult:
    """The same by its exit code alone."""
    return CommandResult(exit_code=ran(tree).exit_code, stdout=b"", stderr=b"")


def linted(tree: Files) -> CommandResult:
    red = b"long" in tree["calc.py"] and b"strict" in tree["ruff.toml"]
    return CommandResult(exit_code=int(red), stdout=b"calc.py:1:1 E501 long" * red, stderr=b"")


class Words(MemoryPlace):
    """A place where gates read the tree they are run on."""

    def __init__(self, files: Files, *, reports: bool = True) -> None:
        super().__init__(BASE, files)
        self.tried: list[TreeEdit] = []
        self._test = ran if reports else silent
        self.edited = self._on
        self.now = {"test": self._test(files), "lint": linted(files)}
        self.on_base = {"test": self._test(BASE), "lint": linted(BASE)}

    def _on(self, gate: Gate, edit: TreeEdit) -> CommandResult:
        self.tried.append(edit)
        tree = dict(self.files)
        for change in edit.taken_back:
            tree.pop(change.path, None)
            if change.path in BASE:
                tree[change.path] = BASE[change.path]
        tree |= edit.contents
        return linted(tree) if gate.kind == "lint" else self._test(tree)


async def examine(
    place: MemoryPlace, instruction: str, *gates: Gate, ignored: tuple[FileChange, ...] = ()
) -> Quality:
    judge = Judge(
        JudgeParts(
            place=place,
            masker=Masker(()),
            settings=default_settings(),
            clock=FakeClock(),
            note=MemoryRecorder().notes(),
        )
    )
    wanted = Wanted(instruction=instruction, repairs=instruction)
    seen = await place.look(None, ())
    seen = replace(seen, ignored_changes=(*seen.ignored_changes, *ignored))
    return await judge.examine(wanted, seen, gates or (TEST,), MeasuredUse())


async def kinds(place: MemoryPlace, instruction: str, *gates: Gate) -> list[str]:
    return [d.kind for d in (await examine(place, instruction, *gates)).dilution or ()]


async def test_where_only_product_changed_nothing_else_is_tried() -> None:
    place = Words({**BASE, "calc.py": b"add sub mul"})
    assert await kinds(place, "Add mul") == []
    assert place.tried == []


async def test_new_tests_cost_one_run_and_wanted_ones_two() -> None:
    files = {**BASE, "calc.py": b"add sub mul", "tests/test_mul.py": b"mul"}
    place = Words(files)
    assert await kinds(place, "Add mul") == []
    assert [[c.path for c in edit.taken_back] for edit in place.tried] == [["tests/test_mul.py"]]
    wanted = Words(files)
    assert await kinds(wanted, "Add mul, with tests") == []
    assert sorted(c.path for edit in wanted.tried for c in edit.taken_back) == [
        "calc.py",
        "tests/test_mul.py",
    ]
    blind = Words({**files, "tests/test_mul.py": b"true"})
    assert await kinds(blind, "Add mul, with tests") == ["tests_green_before"]


@pytest.mark.parametrize("reports", [True, False])
async def test_tests_that_were_bent_are_tried_as_they_were(reports: bool) -> None:
    bent = {**BASE, "calc.py": b"add", "tests/test_calc.py": b"add"}
    assert "old_test_fails" in await kinds(Words(bent, reports=reports), "Add mul")
    asked = "Remove sub and what tests it"
    assert await kinds(Words(bent), asked) == []


async def test_a_test_that_looks_at_nothing_is_seen_without_a_product() -> None:
    hollow = {**BASE, "calc.py": b"add sub mul", "tests/conftest.py": b"soft"}
    assert await kinds(Words(hollow), "Add mul") == ["false_test_passes"]
    blind = {**BASE, "tests/test_calc.py": b"add sub", "tests/conftest.py": b"soft"}
    emptied = {**blind, "tests/test_calc.py": b"add sub true"}
    assert "test_emptied" in await kinds(Words(emptied), "Add mul")
    assert await kinds(Words({**BASE, "tests/test_more.py": b"true"}), "Add tests for sub") == [
        "test_emptied"
    ]
    assert await kinds(Words({**BASE, "tests/test_more.py": b"sub"}), "Add tests for sub") == []


async def test_a_new_test_of_the_product_is_tried_on_one_that_does_anything() -> None:
    # In this project `true` holds anywhere, and here it speaks of a module of that name.
    files = {**BASE, "true.py": b"true mul", "tests/test_more.py": b"true"}
    assert await kinds(Words(files), "Add mul") == ["test_holds_anyway"]
    careful = {**files, "calc.py": b"add sub mul", "tests/test_more.py": b"true mul"}
    place = Words(careful)
    assert await kinds(place, "Add mul") == []
    assert sum("true.py" in edit.contents for edit in place.tried) == 2, "both were tried"


async def test_of_a_large_product_only_what_changed_is_emptied(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cross_course, "MOST_EMPTIED", 1)
    files = {**BASE, "calc.py": b"add sub mul", "other.py": b"x", "tests/conftest.py": b""}
    place = Words({**files, "page.js": b"export const page = 1;\n"})
    await kinds(place, "Add mul")
    emptied = [set(edit.contents) & {"calc.py", "other.py", "page.js"} for edit in place.tried]
    assert {"calc.py"} < set().union(*emptied), "the new ones are changed as well"


async def test_a_tree_that_cannot_be_had_is_said() -> None:
    place = Words({**BASE, "tests/test_calc.py": b"add"})
    place.edited = None
    assert "not_cross_run" in await kinds(place, "Add mul")


@pytest.mark.timeout(10)
async def test_another_tree_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(other_trees, "LEAST_SECONDS", 0.0)

    place = Words({**BASE, "calc.py": b"add sub mul", "tests/test_mul.py": b"mul"})
    place.edited_s = 3600.0
    assert await kinds(place, "Add mul") == []


@pytest.mark.parametrize("reports", [True, False])
async def test_tests_that_were_seen_one_by_one_are_said_to_be_seen(*, reports: bool) -> None:
    files = {**BASE, "calc.py": b"add sub mul", "tests/test_mul.py": b"mul"}
    quality = await examine(Words(files, reports=reports), "Add mul, with tests")
    assert (quality.tests_tried, quality.tests_seen) == (reports, reports)
    alone = await examine(Words({**BASE, "calc.py": b"add sub mul"}), "Add mul")
    assert (alone.tests_tried, alone.tests_seen) == (False, False)


@pytest.mark.parametrize(
    ("files", "instruction", "tried"),
    [
        ({"tests/test_mul.py": b"add"}, "Add mul, with tests", True),
        ({"tests/test_mul.py": b"add", "pytest.ini": b"[pytest]"}, "Add mul, with tests", True),
        ({"pytest.ini": b"[pytest]"}, "Add mul, with tests", False),
        ({"tests/test_mul.py": b"add"}, "Add tests of add", False),
        ({"tests/test_mul.py": b"add", "calc.py": b"add sub mul"}, "Add mul, with tests", False),
    ],
)
async def test_where_only_tests_say_it_was_done_ignored_files_are_left_out(
    files: Files, instruction: str, *, tried: bool
) -> None:
    """Nobody gets what git ignores, so what the tests say has to hold without it."""
    place = Words({**BASE, **files})
    ignored = FileChange(path="made/calc.py", kind="created", size=3)
    await examine(place, instruction, ignored=(ignored,))
    assert any(edit.taken_back == (ignored,) for edit in place.tried) is tried


async def test_old_tests_that_break_are_tried_on_the_old_product_too() -> None:
    """What made them pass came with the product, so nobody has tried that product before."""
    place = Words({**BASE, "calc.py": b"add", "tests/conftest.py": b"soft"})
    await examine(place, "Drop sub")
    assert ["calc.py"] in [[c.path for c in edit.taken_back] for edit in place.tried]


async def test_a_linter_is_tried_with_its_old_settings() -> None:
    loosened = {**BASE, "calc.py": b"add sub long", "ruff.toml": b"loose"}
    assert "old_test_fails" in await kinds(Words(loosened), "Add long", LINT)
    place = Words(loosened)
    assert await kinds(place, "Allow long lines in ruff", LINT) == []
    assert place.tried == [], "a setting that was asked for is product"


async def test_a_gate_that_could_not_run_is_not_tried_elsewhere() -> None:
    place = Words({**BASE, "tests/test_calc.py": b"add"})
    place.now["test"] = CommandResult(exit_code=None, stdout=b"", stderr=b"", timed_out=True)
    quality = await examine(place, "Add mul")
    assert quality.report.verdict("test") is GateVerdict.COULD_NOT_RUN
    assert place.tried == []


async def test_a_gate_that_was_to_go_is_absent() -> None:
    missing = b"make: *** No rule to make target 'lint'.  Stop.\n"
    place = Words({**BASE, "calc.py": b"add sub mul"})
    place.now["lint"] = CommandResult(exit_code=2, stdout=b"", stderr=missing)
    asked = await examine(place, "Remove the lint target from the Makefile", LINT)
    assert asked.report.verdict("lint") is GateVerdict.ABSENT
    unasked = await examine(place, "Add mul", LINT)
    assert unasked.report.verdict("lint") is GateVerdict.COULD_NOT_RUN


async def test_tools_that_changed_without_a_reason_are_named() -> None:
    tool = FileChange(path="node_modules/x/index.js", kind="modified", size=1)

    class Installed(Words):
        @override
        async def look(
            self, tree: str | None, wanted: tuple[str, ...], modes: tuple[str, ...] = ()
        ) -> Seen:
            seen = await super().look(tree, wanted, modes)
            return replace(seen, ignored_changes=(tool,), unknown_before=(tool.path,))

    files = {**BASE, "calc.py": b"add sub mul"}
    assert await kinds(Installed(files), "Add mul") == ["gate_changed"]
    assert await kinds(Installed(files), "Upgrade the dependencies") == []
    listed = {**files, "requirements.txt": b"x"}
    assert await kinds(Installed(listed), "Add mul") == []


FLAT = {"calc.py": b"add sub", "tests/test_calc.py": b"add sub", "pytest.ini": b"."}
"""A project whose settings say where its product is."""


def found_by_settings(tree: Files) -> ReportedResult:
    """As `ran`, where the product lies where the settings say; else no test can be loaded."""
    where = "src/calc.py" if b"src" in tree.get("pytest.ini", b"") else "calc.py"
    if where in tree:
        return ran({**tree, "calc.py": tree[where]})
    lines: list[dict[str, object]] = [
        {"runner": "words", "began": True},
        {"test": "tests/test_calc.py", "outcome": "failed"},
        {"runner": "words", "ended": 1},
    ]
    report = "\n".join(map(json.dumps, lines)).encode()
    return ReportedResult(exit_code=1, stdout=b"", stderr=b"", report=report)


@pytest.mark.parametrize(
    ("product", "tests", "held"),
    [(b"add sub", b"add sub mul", True), (b"add", b"add mul", False)],
    ids=["moved", "moved and bent"],
)
async def test_old_tests_are_tried_with_the_settings_of_a_new_layout(
    product: bytes, tests: bytes, *, held: bool
) -> None:
    files = {"src/calc.py": product + b" mul", "tests/test_calc.py": tests, "pytest.ini": b"src"}
    place = MemoryPlace(FLAT, files)

    def on(_: Gate, edit: TreeEdit) -> CommandResult:
        tree = dict(files)
        for change in edit.taken_back:
            for path in filter(None, (change.path, change.previous_path)):
                tree.pop(path, None)
                if path in FLAT:
                    tree[path] = FLAT[path]
        return found_by_settings({**tree, **edit.contents})

    place.edited = on
    place.now = {"test": found_by_settings(files)}
    place.on_base = {"test": found_by_settings(FLAT)}
    found = await kinds(place, "Add mul, and move the code to src")
    assert ("old_test_fails" not in found) is held


class OnePort(Words):
    """A suite whose runs fail while they are side by side, which the first `together` are."""

    def __init__(self, files: Files, together: int) -> None:
        super().__init__(files)
        self._together = together
        self.edited = self._contended

    def _contended(self, gate: Gate, edit: TreeEdit) -> CommandResult:
        alone = self._on(gate, edit)
        disturbed = len(self.tried) <= self._together
        return self._test({"tests/test_port.py": b"port"}) if disturbed else alone


REWRITTEN = {"calc.py": b"add mul", "tests/test_calc.py": b"add\nmul"}


async def test_what_rewritten_tests_will_ask_for_is_tried_at_once() -> None:
    place = Words({**BASE, **REWRITTEN})
    assert "old_test_fails" in await kinds(place, "Add mul")
    together, alone = place.tried[:-1], place.tried[-1]
    base = {"calc.py", "tests/test_calc.py"}
    assert [edit for edit in together if {c.path for c in edit.taken_back} == base] != []
    assert [c.path for c in alone.taken_back] == ["tests/test_calc.py"]
    added = Words({**BASE, "calc.py": b"add sub mul", "tests/test_calc.py": b"add sub\nmul"})
    assert await kinds(added, "Add mul") == []
    assert all({c.path for c in edit.taken_back} != base for edit in added.tried)


async def test_nobody_is_blamed_for_suites_that_disturb_each_other() -> None:
    files = {**BASE, "calc.py": b"add sub mul", "tests/test_calc.py": b"sub add mul"}
    undisturbed = Words(files)
    assert await kinds(undisturbed, "Add mul") == []
    assert await kinds(OnePort(files, len(undisturbed.tried)), "Add mul") == []


async def test_nobody_is_excused_by_suites_that_disturb_each_other() -> None:
    files = {**BASE, **REWRITTEN}
    undisturbed = Words(files)
    found = await kinds(undisturbed, "Add mul")
    # The last of them is made alone already.
    assert await kinds(OnePort(files, len(undisturbed.tried) - 1), "Add mul") == found


async def test_settings_that_were_asked_for_are_taken_back_with_moved_tests() -> None:
    asked = "Rename the folder tests to checks and let the Makefile know"
    base = {**BASE, "Makefile": b"tests/"}
    files = {"calc.py": b"add sub", "checks/test_calc.py": b"add sub", "Makefile": b"checks/"}

    def run(tree: Files) -> CommandResult:
        where = tree["Makefile"].decode()
        tests = {f"tests/{p.removeprefix(where)}": t for p, t in tree.items() if where in p}
        code = ran({"calc.py": tree["calc.py"], **tests}).exit_code if tests else 2
        return CommandResult(exit_code=code, stdout=b"", stderr=b"")

    def on(_: Gate, edit: TreeEdit) -> CommandResult:
        tree: dict[str, bytes] = dict(files)
        for change in edit.taken_back:
            for path in filter(None, (change.path, change.previous_path)):
                tree.pop(path, None)
                tree |= {path: base[path]} if path in base else {}
        return run({**tree, **edit.contents})

    async def tried(product: bytes) -> list[str]:
        files["calc.py"] = product
        place = MemoryPlace(base, files)
        place.edited, place.now, place.on_base = on, {"test": run(files)}, {"test": run(base)}
        return await kinds(place, asked)

    assert "old_test_fails" not in await tried(b"add sub")
    files["checks/test_calc.py"] = b"add"
    assert "old_test_fails" in await tried(b"add")
