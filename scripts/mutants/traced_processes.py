"""Loaded by every process of the copied tree's interpreter: notes which lines a test reaches in it.

Only while tests are traced, and only in processes of the product; a fork of a preloaded one
counts for the test that asked for it.
"""

import atexit
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import coverage

HERE = Path(sys.prefix).parent
NOTES = HERE / ".traced"
"""Exists while tests are traced; holds the name of the running test, and what was reached."""
CURRENT = NOTES / "current"


def trace() -> None:
    import coverage

    try:
        test = CURRENT.read_text("utf-8")
        traced = coverage.Coverage(
            data_file=str(NOTES / "data"),
            data_suffix=True,
            config_file=False,
            include=[str(HERE / "src" / "*")],
            context=test,
            messages=False,
        )
        atexit.register(end, traced)
        traced.start()
    except (OSError, coverage.CoverageException):
        # In a sandbox it cannot be noted; the tests of sandboxes say enough without it.
        return


def end(traced: "coverage.Coverage") -> None:
    traced.stop()
    traced.save()


def after_fork() -> None:
    import coverage

    if (running := coverage.Coverage.current()) is not None:
        running.stop()
        atexit.unregister(end)
    trace()


if CURRENT.exists() and any("pm_orchestrator" in word for word in sys.orig_argv):
    trace()
    os.register_at_fork(after_in_child=after_fork)
