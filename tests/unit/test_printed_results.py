"""What go test and cargo test print, read test by test."""

import pytest

from pm_orchestrator.gates.judge.printed_results import with_printed
from pm_orchestrator.gates.judge.runner_reports import RunnerReport, read_report
from pm_orchestrator.ports.process import CommandResult

GO_QUIET = """\
--- FAIL: TestSub (0.00s)
    --- FAIL: TestSub/negative (0.00s)
        calc_test.go:17: got 3
FAIL
FAIL\texample.com/calc\t0.003s
ok  \texample.com/calc/text\t(cached)
?   \texample.com/calc/cmd\t[no test files]
FAIL
"""
GO_LOUD = """\
=== RUN   TestAdd
--- PASS: TestAdd (0.00s)
=== RUN   TestLater
    calc_test.go:9: not yet
--- SKIP: TestLater (0.00s)
PASS
ok  \texample.com/calc\t0.002s
"""
GO_BROKEN = """\
# example.com/calc [example.com/calc.test]
./calc_test.go:7:2: undefined: nothing
FAIL\texample.com/calc [build failed]
FAIL
"""
GO_BROKE_OFF = """\
--- PASS: TestAdd (0.00s)
panic: in the teardown
FAIL\texample.com/calc\t0.003s
"""
CARGO = """\

running 4 tests
test tests::good ... ok
test tests::later ... ignored
test tests::panics - should panic ... ok
test tests::bad ... FAILED

failures:

---- tests::bad stdout ----

thread 'tests::bad' (14265) panicked at src/lib.rs:7:21:
assertion `left == right` failed

failures:
    tests::bad

test result: FAILED. 2 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.21s


running 1 test
test src/lib.rs - add (line 1) ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

"""


def printed(output: str, report: bytes = b"") -> RunnerReport | None:
    result = CommandResult(exit_code=0, stdout=output.encode(), stderr=b"")
    return read_report(with_printed(result, report).report)


@pytest.mark.parametrize(
    ("output", "passed", "failed"),
    [
        (
            GO_QUIET,
            {"example.com/calc/text"},
            ("example.com/calc > TestSub", "example.com/calc > TestSub/negative"),
        ),
        (GO_LOUD, {"example.com/calc > TestAdd"}, ()),
        (GO_BROKEN, set[str](), ("example.com/calc",)),
        (GO_BROKE_OFF, {"example.com/calc > TestAdd"}, ("example.com/calc",)),
        (
            CARGO,
            {"tests::good", "tests::panics - should panic", "src/lib.rs - add (line 1)"},
            ("tests::bad",),
        ),
    ],
)
def test_each_test_is_read(output: str, passed: set[str], failed: tuple[str, ...]) -> None:
    report = printed(output)
    assert report is not None
    assert (report.passed, report.failed, report.whole) == (passed, failed, True)
    assert printed(output.replace("\n", "\r\n")) == report


def test_a_run_that_left_in_the_middle_is_not_whole() -> None:
    report = printed(CARGO.partition("test tests::panics")[0])
    assert report is not None
    assert not report.whole


@pytest.mark.parametrize(
    "output",
    [
        "3 passed in 0.1s\n",
        "--- FAIL: TestOther (0.00s)\n",  # nobody sums it up
        "test of the login ... FAILED\n",
        "ok  \texample.com/calc\t0.002s [no tests to run]\n",
        "ok\n",
        "FAIL\n",
        "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored;\n",
        "running 2 tests\n..\ntest result: ok. 2 passed; 0 failed; 0 ignored;\n",  # with -q
    ],
)
def test_what_is_no_result_says_nothing(output: str) -> None:
    assert printed(output) is None


def test_what_a_passing_run_prints_of_another_is_no_failure() -> None:
    inner = "--- FAIL: TestInner (0.00s)\n"
    report = printed(GO_LOUD.replace("PASS\n", f"{inner}PASS\n", 1))
    assert report is not None
    assert report.failed == ()
    report = printed(CARGO.replace("FAILED. 2 passed", "ok. 2 passed"))
    assert report is not None
    assert report.failed == ()


def test_a_runner_that_reports_itself_is_believed_alone() -> None:
    own = b'{"runner":"pytest","began":true}\n{"runner":"pytest","ended":0}\n'
    report = printed(CARGO, own)
    assert report is not None
    assert (report.failed, report.executed) == ((), 0)
