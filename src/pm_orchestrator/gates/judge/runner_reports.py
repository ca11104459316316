"""What test runners report about each test, whatever the gate's exit code says.

A report is written line by line while the tests run, by the runner itself. Several runners
may have written, one after the other or side by side; each says where it begins and ends.
"""

from collections.abc import Iterator, Sequence

import msgspec

from pm_orchestrator.gates.compare.test_ids import file_in, is_example


class ReportLine(msgspec.Struct, frozen=True, kw_only=True):
    """A test, or the beginning or end of a runner."""

    test: str | None = None
    outcome: str | None = None
    runner: str | None = None
    began: bool = False
    ended: int | None = None


class RunnerReport(msgspec.Struct, frozen=True, kw_only=True):
    """All that the runners of one gate reported."""

    passed: frozenset[str]
    failed: tuple[str, ...]
    """In the order in which they failed first."""
    whole: bool
    """Whether every runner that began came to its end."""

    @property
    def executed(self) -> int:
        """Tests that were run; one that was skipped, or expected to fail, was not."""
        return len(self.passed) + len(self.failed)

    @property
    def files(self) -> frozenset[str]:
        """Files that are there for tests, as far as the names of these say it."""
        tests = (test for test in (*self.passed, *self.failed) if not is_example(test))
        named = map(file_in, tests)
        return frozenset(path for path in named if path is not None)


_DECODER = msgspec.json.Decoder(ReportLine)


def read_report(data: bytes) -> RunnerReport | None:
    """The report in `data`; None where no runner wrote any."""
    lines = list(_lines(data))
    if not any(line.runner is not None for line in lines):
        return None
    failed = dict.fromkeys(_tests(lines, "failed"))
    began = sum(line.began for line in lines)
    ended = sum(line.ended is not None for line in lines)
    return RunnerReport(
        passed=frozenset(_tests(lines, "passed")) - failed.keys(),
        failed=tuple(failed),
        whole=began <= ended,
    )


def _lines(data: bytes) -> Iterator[ReportLine]:
    for line in data.splitlines():
        try:
            yield _DECODER.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError):
            # Cut off, or written by somebody else: it says nothing.
            continue


def _tests(lines: Sequence[ReportLine], outcome: str) -> Iterator[str]:
    for line in lines:
        if line.test is not None and line.outcome == outcome:
            yield line.test
