"""Says which tests ran and how each of them ended, from inside the test runner.

Laid beside the packages of an interpreter for the time of one gate, where a `.pth` line
calls `report_to` in every process. Nothing happens until pytest or unittest is imported,
and nothing that goes wrong here may change how a test ends. Runs inside other runs (a
plugin's own tests, a suite or a process started by a test) are a test's own business and
are left out.

Standard library only, and any Python that pytest still supports. PYTEST_DONT_REWRITE: it
is imported before pytest is, which would be a warning and, in strict projects, a failure.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # typing costs more to import than all of this
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

NAME = "pm_orchestrator_test_report"
"""As what this module is imported there."""
OWNER = "PM_ORCHESTRATOR_TEST_RUN"
"""The process whose run is the outermost, for those that it starts."""
PLUGINS = "PYTEST_PLUGINS"
OUTCOMES = {
    "addSuccess": "passed",
    "addFailure": "failed",
    "addError": "failed",
    "addUnexpectedSuccess": "failed",
    "addSkip": "skipped",
    "addExpectedFailure": "skipped",
}


class Report:
    """What this process reports, and which run it reports on."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._handle = -1
        self.run: object = None
        """The outermost run of this process: a session of pytest, or a result of unittest."""

    def begin(self, run: object, runner: str) -> None:
        """A run begins; it is left out where another one goes on, here or above us."""
        if self.run is None and OWNER not in os.environ:
            self.run = run
            os.environ[OWNER] = str(os.getpid())
            self.say(runner=runner, began=True)

    def end(self, run: object, runner: str, code: int) -> None:
        if self.run is run:
            self.say(runner=runner, ended=code)
            self.run = None
            os.environ.pop(OWNER, None)

    def say(self, **fields: object) -> None:
        """One line, written at once: whoever ends the process cannot take it back."""
        import json

        if os.environ.get(OWNER) != str(os.getpid()):
            return  # A copy of the process; what it finds out comes back to us.
        if self._handle < 0:
            path = f"{self._folder}/{os.getpid()}.jsonl"
            self._handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.write(self._handle, (json.dumps(fields) + "\n").encode("ascii"))


_reports: list[Report] = []


def report_to(folder: str) -> None:
    """Report to a file in `folder` from now on."""
    _reports[:] = [Report(folder)]
    sys.meta_path.insert(0, RunnerFinder())


class RunnerFinder:
    """Notices the import of a test runner; finds nothing itself."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name == "_pytest.config":
            known = os.environ.get(PLUGINS)
            os.environ[PLUGINS] = f"{known},{NAME}" if known else NAME
        if name != "unittest.result":
            return None
        import importlib.machinery

        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is not None and spec.loader is not None:
            execute: Any = spec.loader.exec_module

            def exec_module(module: Any) -> None:
                execute(module)
                watch_results(module.TestResult, _reports[0])

            spec.loader.exec_module = exec_module
        return spec


def pytest_configure(config: Any) -> None:
    """Hear the session, if there will be one; a worker's results come to its controller."""
    # It was read; an interpreter that a test starts may not have this module.
    rest = [name for name in os.environ.get(PLUGINS, "").split(",") if name and name != NAME]
    os.environ.pop(PLUGINS, None)
    if rest:
        os.environ[PLUGINS] = ",".join(rest)
    # A file that cannot be loaded is a failure; what the others say counts all the same.
    config.option.continue_on_collection_errors = True
    if _reports and not hasattr(config, "workerinput"):
        config.pluginmanager.register(SessionEar(_reports[0]), f"{NAME}-session")


class SessionEar:
    """Hears one session of pytest."""

    def __init__(self, report: Report) -> None:
        self._report = report

    def pytest_sessionstart(self) -> None:
        self._report.begin(self, "pytest")

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            self._said(report.nodeid or "collection", "failed")

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.when == "call" or report.failed or (report.when == "setup" and report.skipped):
            self._said(report.nodeid, "skipped" if hasattr(report, "wasxfail") else report.outcome)

    def pytest_sessionfinish(self, exitstatus: Any) -> None:
        self._report.end(self, "pytest", int(exitstatus))

    def _said(self, test: str, outcome: str) -> None:
        if self._report.run is self:
            self._report.say(test=test, outcome=outcome)


def watch_results(kind: Any, report: Report) -> None:
    """Wrap what every result of unittest, whatever its class, passes on to this one."""

    def begin(result: Any) -> None:
        report.begin(result, "unittest")

    def end(result: Any) -> None:
        report.end(result, "unittest", 0)

    def saying(outcome: str) -> Callable[..., None]:
        def said(result: Any, test: Any, *_: Any) -> None:
            if report.run is result:
                report.say(test=test.id(), outcome=outcome)

        return said

    failed = saying("failed")

    def sub_test(result: Any, test: Any, _part: Any, error: Any) -> None:
        if error is not None:
            failed(result, test)

    for name, outcome in OUTCOMES.items():
        hear(kind, name, saying(outcome))
    hear(kind, "addSubTest", sub_test)
    hear(kind, "startTestRun", begin)
    hear(kind, "stopTestRun", end)


def hear(kind: Any, name: str, heard: Callable[..., None]) -> None:
    """Tell `heard` of every call of a method, and let the method do what it does."""
    original = getattr(kind, name)

    def method(self: Any, *arguments: Any, **named: Any) -> Any:
        try:
            heard(self, *arguments, **named)
        except Exception:  # noqa: BLE001, S110 - a report is not worth a test
            pass
        return original(self, *arguments, **named)

    setattr(kind, name, method)
