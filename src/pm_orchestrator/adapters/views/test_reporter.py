"""Says which tests ran and how each of them ended, from inside the test runner.

Laid beside the packages of an interpreter for the time of one gate, where a `.pth` line
calls `report_to` in every process. Nothing happens until pytest or unittest is imported. Runs
inside other runs (a plugin's own tests, a suite run by a test) are a test's business and
are left out.

Standard library only, and any Python that pytest still supports.
"""

# pyright: basic

from __future__ import annotations

import os
import sys

NAME = "pm_orchestrator_test_report"
"""As what this module is imported there."""
OWNER = "PM_ORCHESTRATOR_TEST_RUN"
"""The process whose run is the outermost, for those that it starts."""
PLUGINS = "PYTEST_PLUGINS"

_folder = ""
_handle = -1
_outermost = None
"""The result of unittest in which a test is running."""


def report_to(folder):  # type: ignore[no-untyped-def]
    """Report to a file in `folder` from now on, unless a run above us does."""
    global _folder
    owner = os.environ.get(OWNER)
    if owner is None or owner == str(os.getpid()):
        _folder = folder
        sys.meta_path.insert(0, _Finder())


def _say(**fields):  # type: ignore[no-untyped-def]
    """One line, written at once: whoever ends the process cannot take it back."""
    global _handle
    import json

    if _handle < 0:
        path = f"{_folder}/{os.getpid()}.jsonl"
        _handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.write(_handle, (json.dumps(fields) + "\n").encode("ascii"))


class _Finder:
    """Notices the import of a test runner; finds nothing itself."""

    def find_spec(self, name, path=None, target=None):  # type: ignore[no-untyped-def]
        if name == "_pytest.config":
            known = os.environ.get(PLUGINS)
            os.environ[PLUGINS] = f"{known},{NAME}" if known else NAME
        if name != "unittest.result":
            return None
        import importlib.machinery

        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def exec_module(module):  # type: ignore[no-untyped-def]
                execute(module)
                _watch(module.TestResult)

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def pytest_configure(config):  # type: ignore[no-untyped-def]
    """Hear the outermost run of this process; a worker's results come to its controller."""
    # It was read; an interpreter that a test starts may not have this module.
    rest = [name for name in os.environ.get(PLUGINS, "").split(",") if name and name != NAME]
    os.environ.pop(PLUGINS, None)
    if rest:
        os.environ[PLUGINS] = ",".join(rest)
    if os.environ.get(OWNER) is None and not hasattr(config, "workerinput"):
        os.environ[OWNER] = str(os.getpid())
        config.pluginmanager.register(_Pytest(config), f"{NAME}-session")
        _say(runner="pytest", began=True)


def pytest_unconfigure(config):  # type: ignore[no-untyped-def]
    """The next run in this process is none inside this one."""
    if config.pluginmanager.get_plugin(f"{NAME}-session") is not None:
        os.environ.pop(OWNER, None)


class _Pytest:
    def __init__(self, config):  # type: ignore[no-untyped-def]
        self._config = config

    def pytest_collectreport(self, report):  # type: ignore[no-untyped-def]
        if report.failed:
            _say(test=report.nodeid or "collection", outcome="failed")

    def pytest_runtest_logreport(self, report):  # type: ignore[no-untyped-def]
        expected = hasattr(report, "wasxfail")
        if report.when == "call" or report.failed or (report.when == "setup" and report.skipped):
            _say(test=report.nodeid, outcome="skipped" if expected else report.outcome)

    def pytest_sessionfinish(self, session, exitstatus):  # type: ignore[no-untyped-def]
        _say(runner="pytest", ended=int(exitstatus))


def _watch(result):  # type: ignore[no-untyped-def]
    """Wrap what every result of unittest, whatever its class, passes on to this one."""
    outcomes = {
        "addSuccess": "passed",
        "addFailure": "failed",
        "addError": "failed",
        "addUnexpectedSuccess": "failed",
        "addSkip": "skipped",
        "addExpectedFailure": "skipped",
    }
    for name, outcome in outcomes.items():
        _wrap(result, name, lambda self, test, outcome=outcome: _said(self, test, outcome))
    _wrap(result, "addSubTest", _sub_test)
    _wrap(result, "startTest", _started)
    _wrap(result, "stopTest", _stopped)
    _wrap(result, "startTestRun", lambda self: _run(self, began=True))
    _wrap(result, "stopTestRun", lambda self: _run(self, ended=0))


def _wrap(kind, name, heard):  # type: ignore[no-untyped-def]
    original = getattr(kind, name)

    def method(self, *arguments):  # type: ignore[no-untyped-def]
        heard(self, *arguments[: heard.__code__.co_argcount - 1 - len(heard.__defaults__ or ())])
        return original(self, *arguments)

    setattr(kind, name, method)


def _started(self, test):  # type: ignore[no-untyped-def]
    global _outermost
    if _outermost is None and OWNER not in os.environ:
        _outermost = self


def _stopped(self, test):  # type: ignore[no-untyped-def]
    global _outermost
    if _outermost is self:
        _outermost = None


def _said(self, test, outcome):  # type: ignore[no-untyped-def]
    if _outermost in (None, self) and OWNER not in os.environ:
        _say(test=test.id(), outcome=outcome)


def _sub_test(self, test, subtest, error):  # type: ignore[no-untyped-def]
    if error is not None:
        _said(self, test, "failed")


def _run(self, **fields):  # type: ignore[no-untyped-def]
    if _outermost is None and OWNER not in os.environ:
        _say(runner="unittest", **fields)
