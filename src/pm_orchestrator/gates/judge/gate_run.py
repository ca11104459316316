"""Running one gate: what it was started with, what it printed, and what that proves.

Which gates are run on a tree, and in which order, is the judge's course.
"""

from collections.abc import Awaitable, Callable
from typing import NamedTuple

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.judging.gate import (
    MOST_FAILED_TESTS,
    Gate,
    GateResult,
    GateVerdict,
)
from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.gates.judge.counted_tests import tests_run
from pm_orchestrator.gates.judge.runner_reports import RunnerReport, read_report
from pm_orchestrator.gates.judge.verdicts import judge
from pm_orchestrator.ports.process import CommandResult, ReportedResult

RunGate = Callable[[Gate], Awaitable[CommandResult]]

OUTPUT_LIMIT = 16_000
# A place that does not come up, or a program that is not there: nobody's work failed.
PLACE_FAILED = frozenset({"E701", "E702", "E901"})

ESCAPES = LatePattern(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
CONTROLS = LatePattern(r"[\x00-\x08\x0b-\x1f\x7f]")


class GateRun(NamedTuple):
    """What a gate said, and what its runners reported of each test."""

    result: GateResult
    report: RunnerReport | None = None


async def run_gate(gate: Gate, run: RunGate) -> GateRun:
    """Run one gate, and say what it proves."""
    try:
        result = await run(gate)
    except PmError as error:
        if error.code not in PLACE_FAILED:
            raise
        return GateRun(could_not_run(gate, "gate_not_started", str(error)))
    output = readable(result.stdout, result.stderr)
    report = None
    if gate.kind == "test" and isinstance(result, ReportedResult):
        report = read_report(result.report)
    judgement = judge(gate, result, output, report)
    found = GateResult(
        kind=gate.kind,
        verdict=judgement.verdict,
        output=tail(output),
        exit_code=result.exit_code,
        duration_ms=result.duration_ms,
        reason_key=judgement.reason_key,
        command=gate.argv,
        tests=_counted(gate, output, report),
        failed_tests=None if report is None else report.failed[:MOST_FAILED_TESTS],
    )
    return GateRun(found, report)


def _counted(gate: Gate, output: str, report: RunnerReport | None) -> int | None:
    if report is not None and report.executed:
        return report.executed
    return tests_run(output) if gate.kind == "test" else None


def could_not_run(gate: Gate, reason_key: str, output: str) -> GateResult:
    """A gate that proves nothing, and why."""
    return GateResult(
        kind=gate.kind,
        verdict=GateVerdict.COULD_NOT_RUN,
        output=output,
        reason_key=reason_key,
        command=gate.argv,
    )


def readable(stdout: bytes, stderr: bytes) -> str:
    """Both streams as plain text: no terminal escapes, no control characters, any encoding."""
    both = stdout + (b"\n" if stdout and not stdout.endswith(b"\n") else b"") + stderr
    text = both.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    return CONTROLS.sub("", ESCAPES.sub("", text))


def tail(text: str) -> str:
    """The end of a long output, where tools put their summary."""
    if len(text) <= OUTPUT_LIMIT:
        return text
    left_out = len(text) - OUTPUT_LIMIT
    return f"[… {left_out} characters left out]\n{text[-OUTPUT_LIMIT:]}"
