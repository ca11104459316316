"""Reports of test runners: what is added to one never makes it better."""

import msgspec
from hypothesis import given, strategies as st

from pm_orchestrator.domain.judging.gate import Gate, GateVerdict
from pm_orchestrator.gates.judge.runner_reports import ReportLine, read_report
from pm_orchestrator.gates.judge.verdicts import judge
from pm_orchestrator.ports.process import CommandResult

TEST = Gate(kind="test", argv=("make", "test"), source="Makefile")
NAMES = st.sampled_from(["a::one", "a::two", "b::three", "é\n"])
OUTCOMES = st.sampled_from(["passed", "failed", "skipped"])
LINES: st.SearchStrategy[ReportLine] = st.one_of(
    st.builds(ReportLine, test=NAMES, outcome=OUTCOMES),
    st.just(ReportLine(runner="pytest", began=True)),
    st.builds(ReportLine, runner=st.just("pytest"), ended=st.integers(0, 5)),
)
ANYTHING = st.binary(max_size=60).map(lambda data: data + b"\n")


def encoded(*lines: ReportLine) -> bytes:
    return b"".join(msgspec.json.encode(line) + b"\n" for line in lines)


def verdict(data: bytes, code: int = 0) -> GateVerdict:
    result = CommandResult(exit_code=code, stdout=b"", stderr=b"")
    return judge(TEST, result, "", read_report(data)).verdict


@given(st.lists(LINES, max_size=12), st.lists(st.one_of(LINES.map(encoded), ANYTHING)))
def test_a_failure_is_never_taken_back(lines: list[ReportLine], added: list[bytes]) -> None:
    failed = ReportLine(test="a::x", outcome="failed")
    data = encoded(ReportLine(runner="pytest", began=True), failed, *lines)
    data += b"".join(added)
    assert verdict(data) is GateVerdict.FAIL
    report = read_report(data)
    assert report is not None
    assert "a::x" in report.failed
    assert "a::x" not in report.passed


@given(st.lists(LINES, max_size=12), st.integers(1, 125))
def test_no_report_makes_a_red_gate_green(lines: list[ReportLine], code: int) -> None:
    assert verdict(encoded(*lines), code) is not GateVerdict.PASS


@given(st.lists(LINES, max_size=12))
def test_only_tests_that_passed_and_a_run_that_ended_pass(lines: list[ReportLine]) -> None:
    report = read_report(encoded(*lines))
    said = verdict(encoded(*lines))
    if report is None:
        # Nobody could be asked: the exit code counts, as ever.
        assert said is GateVerdict.PASS
        return
    assert (said is GateVerdict.PASS) == (
        bool(report.passed) and not report.failed and report.whole
    )
    assert report.executed == len(report.passed | set(report.failed))


def test_files_of_tests_are_told_by_those_that_pass_and_by_those_that_fail() -> None:
    report = read_report(
        encoded(
            ReportLine(runner="pytest", began=True),
            ReportLine(test="tests/test_a.py::one", outcome="passed"),
            ReportLine(test="tests/test_b.py::two", outcome="failed"),
            ReportLine(runner="pytest", ended=1),
        )
    )
    assert report is not None
    assert report.files == {"tests/test_a.py", "tests/test_b.py"}
