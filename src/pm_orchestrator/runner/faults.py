"""A fault of the Runner's own code, told as an error: what broke and where, never a traceback."""

import errno
import os
import traceback
from pathlib import Path

from pm_orchestrator.domain.errors import PmError

PACKAGE = Path(__file__).parents[1]
REFUSALS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO})


def task_fault(bug: Exception, task_id: str) -> PmError:
    """What a person is told when the Runner breaks while it carries out a task."""
    return PmError("runner_fault", reason=_reason(bug), task=task_id)


def disk_fault(bug: Exception) -> PmError | None:
    """The same where it is not the Runner that broke: the disk has no room, or takes nothing."""
    if not isinstance(bug, OSError) or bug.errno not in REFUSALS:
        return None
    where = bug.filename or "a file of the run"
    return PmError("disk", path=where, reason=os.strerror(bug.errno))


def program_fault(bug: Exception) -> PmError:
    """What a person is told when the program breaks outside of any task."""
    return PmError("program_fault", reason=_reason(bug))


def place_of(bug: BaseException) -> str:
    """The innermost line of ours on the way to `bug`, as `runner/run/phases/analysis.py:40`."""
    place = "?"
    for frame in traceback.extract_tb(bug.__traceback__):
        path = Path(frame.filename)
        if path.is_relative_to(PACKAGE):
            place = f"{path.relative_to(PACKAGE).as_posix()}:{frame.lineno}"
    return place


def _reason(bug: Exception) -> str:
    said = " ".join(str(bug).split()) or "no message"
    return f"{type(bug).__name__} at {place_of(bug)}: {said}"
