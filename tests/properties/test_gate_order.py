"""Lint first, tests after it, and four verdicts that stay apart."""

import asyncio

from hypothesis import given, strategies as st

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.judging.gate import Gate, GateKind, GateReport, GateResult, GateVerdict
from pm_orchestrator.domain.judging.quality import BaseComparison
from pm_orchestrator.domain.setup.settings import default_settings
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.gates.judge.gate_run import OUTPUT_LIMIT, readable, tail
from pm_orchestrator.gates.judge.hard_limits import MeasuredUse
from pm_orchestrator.ports.process import CommandResult
from pm_orchestrator.runner.run.facts import Quality, Wanted
from pm_orchestrator.runner.run.judge import Judge, JudgeParts
from pm_orchestrator.testing.memory.fake_clock import FakeClock
from pm_orchestrator.testing.memory.memory_place import MemoryPlace
from pm_orchestrator.testing.memory.memory_recorder import MemoryRecorder

LINT = Gate(kind="lint", argv=("make", "lint"), source="Makefile")
TEST = Gate(kind="test", argv=("make", "test"), source="Makefile")


def red(*names: str) -> CommandResult:
    lines = "".join(f"FAILED tests/test_a.py::test_{name} - boom\n" for name in names)
    text = f"{lines}{len(names)} failed in 0.1s\n"
    return CommandResult(exit_code=1, stdout=text.encode(), stderr=b"")


ENDINGS: dict[str, CommandResult | PmError] = {
    "pass": CommandResult(exit_code=0, stdout=b"fine\n", stderr=b""),
    "one": red("one"),
    "two": red("one", "two"),
    "unnamed": CommandResult(
        exit_code=2, stdout=b"", stderr=b"make: *** [Makefile:2: x] Error 1\n"
    ),
    "missing": CommandResult(exit_code=127, stdout=b"", stderr=b"sh: make: not found\n"),
    "slow": CommandResult(exit_code=None, stdout=b"", stderr=b"", timed_out=True),
    "no place": PmError("sandbox_not_started", runtime="bwrap", reason="x", cure="y"),
    "no program": PmError("program_not_started", program="make", reason="x"),
}
FAILING = {"one", "two", "unnamed"}
KNOWN = {"pass": GateVerdict.PASS, **dict.fromkeys(FAILING, GateVerdict.FAIL)}
Ends = dict[GateKind, str]
GATES = st.lists(st.sampled_from([LINT, TEST]), unique=True)
EACH: st.SearchStrategy[Ends] = st.fixed_dictionaries(
    {"lint": st.sampled_from(sorted(ENDINGS)), "test": st.sampled_from(sorted(ENDINGS))}
)


def verdict(ending: str) -> GateVerdict:
    return KNOWN.get(ending, GateVerdict.COULD_NOT_RUN)


def worse(now: str, before: str) -> bool:
    """Whether a gate is plainly worse than before the task: something is red that was not."""
    if now not in FAILING:
        return False
    return before == "pass" or (now, before) == ("two", "one")


def examine(
    place: MemoryPlace, gates: list[Gate], *, asked: bool = False, known: GateReport | None = None
) -> Quality:
    parts = JudgeParts(
        place=place,
        masker=Masker(),
        settings=default_settings(),
        clock=FakeClock(),
        note=MemoryRecorder().notes(),
    )
    kinds: tuple[GateKind, ...] = tuple(gate.kind for gate in gates) if asked else ()
    wanted = Wanted(instruction="Change a.py", repairs="", asked_gates=kinds)

    async def go() -> Quality:
        seen = await place.look(None, ())
        return await Judge(parts).examine(wanted, seen, tuple(gates), MeasuredUse(), known)

    return asyncio.run(go())


def place_with(now: Ends, before: Ends, *, changed: bool = True) -> MemoryPlace:
    place = MemoryPlace({"a.py": b"old\n"}, {"a.py": b"new\n" if changed else b"old\n"})
    place.now = {kind: ENDINGS[end] for kind, end in now.items()}
    place.on_base = {kind: ENDINGS[end] for kind, end in before.items()}
    return place


@given(GATES, EACH, EACH)
def test_lint_runs_first_and_tests_unless_it_is_worse(
    gates: list[Gate], now: Ends, before: Ends
) -> None:
    """E-25 Quality Gate Execution Order: lint first, test unless lint is worse than before."""
    place = place_with(now, before)
    quality = examine(place, gates)
    report = quality.report
    assert [result.kind for result in report.results] == ["lint", "test"]
    stopped = LINT in gates and worse(now["lint"], before["lint"])
    reached = [g for g in (LINT, TEST) if g in gates and not (g is TEST and stopped)]
    assert [kind for kind, where in place.ran if where == "now"] == [g.kind for g in reached]
    for gate in (LINT, TEST):
        found = report.verdict(gate.kind)
        if gate not in gates:
            assert found is GateVerdict.ABSENT
        elif gate not in reached:
            assert found is GateVerdict.COULD_NOT_RUN
        else:
            assert found is verdict(now[gate.kind])
    # A red gate is asked on the base right after, and no other gate is.
    compared: list[GateKind] = [g.kind for g in reached if now[g.kind] in FAILING]
    assert [c.kind for c in quality.comparisons] == compared
    assert [kind for kind, where in place.ran if where == "base"] == compared
    assert [bool(c.new_failures) for c in quality.comparisons] == [
        worse(now[kind], before[kind]) for kind in compared
    ]


@given(GATES, EACH)
def test_asked_gates_on_an_untouched_tree_are_all_run(gates: list[Gate], now: Ends) -> None:
    """E-25 Quality Gate Execution Order: where nothing changed, nothing can be worse."""
    place = place_with(now, now, changed=False)
    report = examine(place, gates, asked=True).report
    expected = [(gate.kind, "now") for gate in (LINT, TEST) if gate in gates]
    assert place.ran == expected
    assert [report.verdict(gate.kind) for gate in gates] == [verdict(now[g.kind]) for g in gates]


@given(GATES, EACH)
def test_what_no_change_calls_for_is_not_run(gates: list[Gate], now: Ends) -> None:
    """E-25 Quality Gate Execution Order: an untouched tree that nobody asks about is left be."""
    place = place_with(now, now, changed=False)
    report = examine(place, gates).report
    assert place.ran == []
    assert [result.verdict for result in report.results] == [GateVerdict.ABSENT] * 2


@given(GATES, EACH, EACH)
def test_what_the_base_said_is_not_asked_again(gates: list[Gate], now: Ends, before: Ends) -> None:
    """E-25 Quality Gate Execution Order: the same course with the base known beforehand."""
    other: Ends = {"lint": "pass", "test": "pass"}
    asked, told = place_with(now, before), place_with(now, other)
    results = examine(place_with(before, before, changed=False), gates, asked=True).report.results
    known = GateReport(commit="base", results=tuple(r for r in results if r.command))
    first, second = examine(asked, gates), examine(told, gates, known=known)
    assert [_means(c) for c in second.comparisons] == [_means(c) for c in first.comparisons]
    assert [_said(r) for r in second.report.results] == [_said(r) for r in first.report.results]
    assert [kind for kind, where in told.ran if where == "base"] == []


def _means(beside: BaseComparison) -> tuple[object, ...]:
    return beside.kind, beside.new_failures, beside.unfixed, beside.told_apart, beside.settled


def _said(result: GateResult) -> tuple[str, GateVerdict, str]:
    return result.kind, result.verdict, result.output


@given(st.binary(), st.binary())
def test_any_bytes_become_plain_text(stdout: bytes, stderr: bytes) -> None:
    """E-25 Quality Gate Execution Order: whatever a gate prints can be stored and shown."""
    text = readable(stdout, stderr)
    assert all(c in "\n\t" or c >= " " for c in text)
    text.encode("utf-8")


@given(st.text(max_size=50), st.integers(0, 3 * OUTPUT_LIMIT))
def test_long_output_keeps_its_end(start: str, length: int) -> None:
    """E-25 Quality Gate Execution Order: output is bounded and the summary at its end survives."""
    text = start + "x" * length + "THE END"
    kept = tail(text)
    assert len(kept) <= OUTPUT_LIMIT + 60
    assert kept.endswith("THE END")
    assert kept == text or kept.startswith("[… ")
