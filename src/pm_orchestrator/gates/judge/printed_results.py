"""How each test ended where its runner only prints it: go test and cargo test.

A line of a test is believed as far as its runner's own summing-up agrees: what a test prints
of another run, whole lines of it perhaps, does not become a result. Without `-v` go names
only what failed, so a package that passed stands for its tests.
"""

import re
from collections.abc import Iterator

import msgspec

from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.gates.judge.runner_reports import ReportLine
from pm_orchestrator.ports.process import CommandResult, ReportedResult

GO_LINE = LatePattern(
    r"^[ \t]*--- (?P<how>PASS|FAIL|SKIP): (?P<test>\S+) \([\d.]+s\)$"
    r"|^(?P<sum>ok|FAIL)[ \t]+(?P<package>\S+)[ \t]+(?:[\d.]+s|\(cached\)|\[.*\])(?P<rest>.*)$",
    re.MULTILINE,
)
CARGO_LINE = LatePattern(
    r"^(?P<begins>running \d+ tests?)$"
    r"|^test (?P<test>\S.*?) \.\.\. (?P<how>ok|FAILED|ignored)\b.*$"
    r"|^test result: (?P<sum>ok|FAILED)\. \d+ passed;",
    re.MULTILINE,
)
OUTCOMES = {"PASS": "passed", "ok": "passed", "FAIL": "failed", "FAILED": "failed"}


def with_printed(result: CommandResult, report: bytes) -> ReportedResult:
    """The result with its report, or with what it printed where no runner reported itself."""
    if not report:
        output = result.stdout.decode("utf-8", "replace").replace("\r\n", "\n")
        lines = (*_go(output), *_cargo(output))
        report = b"".join(msgspec.json.encode(line) + b"\n" for line in lines)
    return ReportedResult(**msgspec.structs.asdict(result), report=report)


def _go(output: str) -> Iterator[ReportLine]:
    tests: list[tuple[str, str]] = []
    for line in GO_LINE.finditer(output):
        if line["test"] is not None:
            tests.append((line["test"], line["how"]))
            continue
        package, passed = line["package"], line["sum"] == "ok"
        if not (passed and "[no tests to run]" in line[0]):
            yield from _run("go test", passed, package, tests or [(package, line["sum"])])
        tests = []


def _cargo(output: str) -> Iterator[ReportLine]:
    tests: list[tuple[str, str]] = []
    begun = False
    for line in CARGO_LINE.finditer(output):
        if line["test"] is not None:
            tests.append((line["test"], line["how"]))
            continue
        if line["sum"] is not None and tests:
            yield from _run("cargo test", line["sum"] == "ok", "", tests)
        begun, tests = line["begins"] is not None, []
    if begun:
        # It left in the middle; its exit code may be anything.
        yield ReportLine(runner="cargo test", began=True)


def _run(
    runner: str, passed: bool, where: str, tests: list[tuple[str, str]]
) -> Iterator[ReportLine]:
    """One package or program, with its tests as far as its sum agrees."""
    yield ReportLine(runner=runner, began=True)
    for name, how in tests:
        outcome = OUTCOMES.get(how, "skipped")
        if outcome != "failed" or not passed:
            test = name if name == where or not where else f"{where} > {name}"
            yield ReportLine(test=test, outcome=outcome)
    if not passed and not any(OUTCOMES.get(how) == "failed" for _, how in tests):
        yield ReportLine(test=where or runner, outcome="failed")
    yield ReportLine(runner=runner, ended=0 if passed else 1)
