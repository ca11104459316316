"""What QA finds out about one tree, wherever it lies."""

import pytest
from msgspec.structs import replace

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.judging.gate import Gate, GateReport, GateResult, GateVerdict
from pm_orchestrator.domain.setup.settings import BudgetSettings, Settings, default_settings
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.gates.detect import read_by_code
from pm_orchestrator.gates.judge.hard_limits import MeasuredUse
from pm_orchestrator.gates.weaker.dilution import Trees
from pm_orchestrator.ports.process import CommandResult
from pm_orchestrator.runner.run.courses.gate_course import CourseParts, GateCourse
from pm_orchestrator.runner.run.facts import Quality, Wanted
from pm_orchestrator.runner.run.judge import Judge, JudgeParts
from pm_orchestrator.testing.memory.fake_clock import FakeClock
from pm_orchestrator.testing.memory.memory_place import MemoryPlace
from pm_orchestrator.testing.memory.memory_recorder import MemoryRecorder

LINT = Gate(kind="lint", argv=("lint",), source="settings")
TEST = Gate(kind="test", argv=("test",), source="settings")
BUILD = Gate(kind="build", argv=("build",), source="settings")
BEFORE = {"a.py": b"a\n", "other.txt": b"mine\n"}
AFTER = {**BEFORE, "a.py": b"a\n\n"}
KEY = "sk-ant-" + "api03-" + "Zq9x" * 12


def red(name: str = "a", exit_code: int = 1) -> CommandResult:
    text = f"FAILED tests/test_a.py::test_{name} - boom\n1 failed in 0.1s\n"
    return CommandResult(exit_code=exit_code, stdout=text.encode(), stderr=b"")


class Court:
    """One examination after the other of what lies in a place."""

    def __init__(
        self, place: MemoryPlace, *literals: str, settings: Settings | None = None
    ) -> None:
        self.place = place
        self.records = MemoryRecorder()
        parts = JudgeParts(
            place=place,
            masker=Masker(literals),
            settings=settings or default_settings(),
            clock=FakeClock(),
            note=self.records.notes(),
        )
        self._judge = Judge(parts)

    async def examine(
        self,
        *gates: Gate,
        wanted: Wanted | None = None,
        usage: MeasuredUse | None = None,
        on_base: GateReport | None = None,
    ) -> Quality:
        asked = wanted or Wanted(instruction="Change a.py", repairs="Change a.py")
        seen = await self.place.look(None, ())
        return await self._judge.examine(asked, seen, gates, usage or MeasuredUse(), on_base)

    def noted(self, text: str) -> bool:
        return any(text in line for line in self.records.lines)


@pytest.fixture
def court() -> Court:
    return Court(MemoryPlace(BEFORE, AFTER))


async def test_the_report_speaks_of_the_tree_that_was_seen(court: Court) -> None:
    quality = await court.examine(LINT, TEST)
    assert quality.report.commit == (await court.place.look(None, ())).tree
    assert [r.verdict for r in quality.report.results] == [GateVerdict.PASS] * 2
    recorded = [o.type for o in court.records.operations]
    assert recorded == ["gate_lint", "gate_test"]
    assert [r.evidence_id for r in quality.report.results] == ["evidence-1", "evidence-2"]


async def test_tests_are_not_reached_when_lint_is_worse_than_before(court: Court) -> None:
    court.place.now["lint"] = red()
    quality = await court.examine(LINT, TEST)
    assert [r.verdict for r in quality.report.results] == [
        GateVerdict.FAIL,
        GateVerdict.COULD_NOT_RUN,
    ]
    assert quality.report.results[1].reason_key == "gate_not_reached"
    assert court.place.ran == [("lint", "now"), ("lint", "base")]
    assert quality.comparisons[0].new_failures


async def test_tests_are_run_when_lint_is_as_red_as_before(court: Court) -> None:
    court.place.now["lint"] = court.place.on_base["lint"] = red()
    quality = await court.examine(LINT, TEST)
    assert [r.verdict for r in quality.report.results] == [GateVerdict.FAIL, GateVerdict.PASS]
    assert quality.comparisons[0].settled


async def test_without_a_copy_of_the_base_nothing_is_told_apart(court: Court) -> None:
    court.place.now["test"] = red()
    court.place.no_base = "no copy of the base could be made"
    quality = await court.examine(TEST)
    assert not quality.comparisons[0].told_apart
    assert court.noted("gate_test_on_base: no copy of the base")


async def test_a_place_that_does_not_come_up_for_the_base_tells_nothing_apart(
    court: Court,
) -> None:
    court.place.now["test"] = red()
    court.place.on_base["test"] = PmError("program_not_started", program="make", reason="gone")
    quality = await court.examine(TEST)
    assert not quality.comparisons[0].told_apart
    assert court.noted("gate_test_on_base: E901")


async def test_without_a_saved_tree_nothing_is_compared() -> None:
    court = Court(MemoryPlace(BEFORE, AFTER, comparable=False))
    court.place.now["test"] = red()
    court.place.no_base = "the directory was not saved before the task"
    quality = await court.examine(TEST)
    assert not quality.comparisons[0].told_apart
    assert quality.dilution is None
    assert court.place.ran == [("test", "now")]


async def test_what_the_base_said_before_is_taken_as_said(court: Court) -> None:
    court.place.now["test"] = red()
    before = GateResult(kind="test", verdict=GateVerdict.FAIL, output=red().stdout.decode())
    known = GateReport(commit="base", results=(before,))
    quality = await court.examine(TEST, on_base=known)
    assert quality.comparisons[0].settled
    assert court.place.ran == [("test", "now")]
    # A gate that was not among those asked then is asked now.
    court.place.now["lint"] = red()
    await court.examine(LINT, on_base=known)
    assert court.place.ran[1:] == [("lint", "now"), ("lint", "base")]


async def test_a_failure_that_the_task_names_has_to_go(court: Court) -> None:
    court.place.now["test"] = court.place.on_base["test"] = red("a")
    named = Wanted(instruction="Fix test_a", repairs="Fix the failing test test_a")
    assert (await court.examine(TEST, wanted=named)).comparisons[0].unfixed
    other = Wanted(instruction="Fix test_a", repairs="")
    assert (await court.examine(TEST, wanted=other)).comparisons[0].settled


async def test_what_a_gate_changed_and_nobody_kept_is_reported(court: Court) -> None:
    court.place.spoiled = ("other.txt",)
    quality = await court.examine(TEST)
    assert quality.gate_changes == ("other.txt",)
    assert court.noted("not put back other.txt")


async def test_a_gate_that_the_task_has_made_is_run_as_what_it_is(court: Court) -> None:
    """What a new linter finds is its work; new tests have to hold."""
    court.place.now = {"lint": red(), "test": red()}
    parts = CourseParts(
        place=court.place, masker=Masker(()), note=court.records.notes(), texts=no_texts
    )
    wanted = Wanted(instruction="Add make test", repairs="")
    course = GateCourse(parts, wanted, await court.place.look(None, ()), None)
    quality = await course.run({"build": None, "lint": None, "test": None}, made=(LINT, TEST))
    assert [(r.kind, r.verdict) for r in quality.report.results] == [
        ("build", GateVerdict.ABSENT),
        ("lint", GateVerdict.ABSENT),
        ("test", GateVerdict.FAIL),
    ]
    assert quality.comparisons == ()


async def no_texts() -> Trees:
    return Trees(before={}, after={})


async def test_documents_need_no_gates_but_what_was_asked_for_runs() -> None:
    court = Court(MemoryPlace({}, {"README.md": b"# Read\n"}))
    assert [r.verdict for r in (await court.examine(LINT, TEST)).report.results] == [
        GateVerdict.ABSENT,
        GateVerdict.ABSENT,
    ]
    assert court.place.ran == []
    asked = Wanted(instruction="Build it", repairs="", asked_gates=("build",))
    report = (await court.examine(LINT, TEST, BUILD, wanted=asked)).report
    assert [r.kind for r in report.results] == ["lint", "test", "build"]
    assert court.place.ran == [("build", "now")]


async def test_an_error_that_is_not_the_places_is_not_swallowed(court: Court) -> None:
    court.place.now["lint"] = PmError("evidence_not_collected", path="x", reason="y")
    with pytest.raises(PmError, match="E301"):
        await court.examine(LINT)


async def test_a_key_that_a_gate_prints_is_on_no_record(court: Court) -> None:
    printed = CommandResult(exit_code=1, stdout=f"key {KEY}\n".encode(), stderr=b"")
    court.place.now["test"] = court.place.on_base["test"] = printed
    quality = await court.examine(TEST)
    assert KEY not in quality.report.results[0].output
    assert not court.noted(KEY)


async def test_weaker_tests_are_found_and_noted() -> None:
    tests = {"test_a.py": b"def test_a():\n    assert look()\n\ndef test_b():\n    assert see()\n"}
    weaker = {"test_a.py": b"def test_a():\n    assert look()\n"}
    court = Court(MemoryPlace(tests, weaker))
    quality = await court.examine()
    assert quality.dilution is not None
    assert [d.kind for d in quality.dilution] == ["test_deleted"]
    noted = [line for line in court.records.lines if line.startswith("dilution: ")]
    assert noted == ["dilution: " + "\n".join(d.say() for d in quality.dilution)]
    assert "test_deleted test_a.py" in noted[0]
    same = await Court(MemoryPlace(tests, {**tests, "b.py": b"x = 1\n"})).examine()
    assert same.dilution == ()


async def test_keys_in_files_are_found_where_they_are_new() -> None:
    line = f"KEY = '{KEY}'\n".encode()
    fresh = Court(MemoryPlace({}, {"a.py": line}))
    found = (await fresh.examine()).secrets
    assert len(found) == 1
    assert found[0].startswith("a.py:1 ")
    assert KEY not in found[0]
    old = Court(MemoryPlace({"a.py": line}, {"a.py": line + b"x = 1\n"}))
    assert (await old.examine()).secrets == ()
    # Where nobody can say what was there before, it counts as new.
    unknown = Court(MemoryPlace({"a.py": line}, {"a.py": line + b"x = 1\n"}, comparable=False))
    assert len((await unknown.examine()).secrets) == 1
    word = "kR7-vQ2_xW9zLp4T"
    mine = Court(MemoryPlace({}, {"a.py": f"word = '{word}'\n".encode()}), word)
    assert len((await mine.examine()).secrets) == 1


async def test_limits_hold_for_a_task_and_not_for_what_was_merged() -> None:
    many = {f"f{n}.py": b"x = 1\n" for n in range(default_settings().task_limits.files + 1)}
    court = Court(MemoryPlace({}, many))
    quality = await court.examine()
    assert [v.limit_type for v in quality.violations] == ["files"]
    assert court.noted("limit_violation: files")
    merged = Wanted(instruction="Do it", repairs="", limited=False)
    assert (await court.examine(wanted=merged)).violations == ()


async def test_a_budget_that_was_overrun_is_a_violation() -> None:
    settings = replace(default_settings(), budgets=BudgetSettings(tokens=1_000))
    court = Court(MemoryPlace(BEFORE, AFTER), settings=settings)
    quality = await court.examine(usage=MeasuredUse(tokens=1_001))
    assert [v.limit_type for v in quality.violations] == ["tokens"]
    assert (await court.examine(usage=MeasuredUse(tokens=1_000))).violations == ()


@pytest.mark.parametrize(
    ("base", "most", "run"),
    [
        ({"pkg/__init__.py": b"", "pkg/data.txt": b"a\n"}, 9, True),
        ({"a.py": b"x = 1\n", "pkg/data.txt": b"a\n"}, 9, False),
        ({"a.py": b"open('data.txt')\n", "pkg/data.txt": b"a\n"}, 9, True),
        ({"a.py": b"x = 1\n", "b.py": b"y = 1\n", "pkg/data.txt": b"a\n"}, 1, True),
    ],
    ids=["lies in a package", "nobody reads it", "a program reads it", "too many to be read"],
)
async def test_a_text_calls_for_gates_where_code_may_read_it(
    monkeypatch: pytest.MonkeyPatch, base: dict[str, bytes], most: int, *, run: bool
) -> None:
    monkeypatch.setattr(read_by_code, "MOST_READERS", most)
    court = Court(MemoryPlace(base, {**base, "pkg/data.txt": b"b\n"}))
    await court.examine(TEST)
    assert bool(court.place.ran) is run


NO_TESTS = CommandResult(exit_code=5, stdout=b"no tests ran in 0.01s\n", stderr=b"")


async def test_no_test_before_and_after_is_no_gate(court: Court) -> None:
    court.place.now["test"] = court.place.on_base["test"] = NO_TESTS
    pins = Wanted(instruction="Pin requests in a.py", repairs="")
    (result,) = (await court.examine(TEST, wanted=pins)).report.results[1:]
    assert result.verdict is GateVerdict.ABSENT


ONE_TEST = CommandResult(exit_code=0, stdout=b"1 passed in 0.1s\n", stderr=b"")


@pytest.mark.parametrize(
    ("instruction", "before"),
    [
        ("Pin requests in a.py", ONE_TEST),
        ("Change a.py and add tests for it", NO_TESTS),
    ],
)
async def test_tests_that_are_gone_or_asked_for_are_missed(
    court: Court, instruction: str, before: CommandResult
) -> None:
    court.place.now["test"], court.place.on_base["test"] = NO_TESTS, before
    wanted = Wanted(instruction=instruction, repairs="")
    (result,) = (await court.examine(TEST, wanted=wanted)).report.results[1:]
    assert result.reason_key == "gate_ran_no_test"
