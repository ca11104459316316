"""Lint first, tests after, and four verdicts that stay apart."""

from hypothesis import given, strategies as st

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.gate import Gate, GateKind, GateVerdict
from pm_orchestrator.gates.sequence import OUTPUT_LIMIT, readable, run_gates, tail
from pm_orchestrator.ports.process import CommandResult

LINT = Gate(kind="lint", argv=("make", "lint"), source="Makefile")
TEST = Gate(kind="test", argv=("make", "test"), source="Makefile")
ENDINGS: dict[str, CommandResult | PmError] = {
    "pass": CommandResult(exit_code=0, stdout=b"fine\n", stderr=b""),
    "fail": CommandResult(exit_code=2, stdout=b"", stderr=b"make: *** [Makefile:2: x] Error 1\n"),
    "missing": CommandResult(exit_code=127, stdout=b"", stderr=b"sh: make: not found\n"),
    "slow": CommandResult(exit_code=None, stdout=b"", stderr=b"", timed_out=True),
    "no place": PmError("sandbox_not_started", runtime="bwrap", reason="x", cure="y"),
    "no program": PmError("program_not_started", program="make", reason="x"),
}
GOOD = {GateVerdict.PASS, GateVerdict.ABSENT}


@given(
    st.lists(st.sampled_from([LINT, TEST]), unique=True),
    st.fixed_dictionaries(
        {
            "lint": st.sampled_from(sorted(ENDINGS)),
            "test": st.sampled_from(sorted(ENDINGS)),
        }
    ),
)
async def test_lint_runs_first_and_tests_only_after_it(
    gates: list[Gate], endings: dict[GateKind, str]
) -> None:
    """E-25 Quality Gate Execution Order: lint first, test only if lint passes or is absent."""
    ran: list[GateKind] = []

    async def run(gate: Gate) -> CommandResult:
        ran.append(gate.kind)
        ending = ENDINGS[endings[gate.kind]]
        if isinstance(ending, PmError):
            raise ending
        return ending

    report = await run_gates(gates, run, "c0ffee")
    assert report.commit == "c0ffee"
    assert [result.kind for result in report.results] == ["lint", "test"]
    lint_ok = LINT not in gates or endings["lint"] == "pass"
    expected: list[GateKind] = ["lint"] if LINT in gates else []
    assert ran == [*expected, *(["test"] if TEST in gates and lint_ok else [])]
    for gate in (LINT, TEST):
        verdict = report.verdict(gate.kind)
        if gate not in gates:
            assert verdict is GateVerdict.ABSENT
        elif gate.kind not in ran:
            assert verdict is GateVerdict.COULD_NOT_RUN
        else:
            known = {"pass": GateVerdict.PASS, "fail": GateVerdict.FAIL}
            assert verdict is known.get(endings[gate.kind], GateVerdict.COULD_NOT_RUN)


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
