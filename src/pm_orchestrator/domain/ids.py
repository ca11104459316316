"""Identifiers: one format each, checked where they enter."""

from datetime import datetime

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.late_pattern import LatePattern

SAFE_NAME = LatePattern(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")


def session_id(now: datetime, token: str) -> str:
    """`session-YYYYMMDD-…`."""
    return f"session-{now:%Y%m%d}-{token}"


def numbered(prefix: str, number: int) -> str:
    """`thr_001`, `run_012`, `task-003`: numbered ids keep their sorting width."""
    separator = "-" if prefix == "task" else "_"
    return f"{prefix}{separator}{number:03d}"


def external_task_id(now: datetime, taken: frozenset[str] | set[str]) -> str:
    """`task-<epoch ms>`, one more on a collision."""
    millis = int(now.timestamp() * 1000)
    while f"task-{millis}" in taken:
        millis += 1
    return f"task-{millis}"


def ticket_id(now: datetime, token: str) -> str:
    """`YYYYMMDD-xxxx`."""
    return f"{now:%Y%m%d}-{token[:4].lower()}"


def conversation_id(token: str) -> str:
    """An executor's own session, named before it begins: the form of a random UUID."""
    return f"{token[:8]}-{token[8:12]}-4{token[12:15]}-8{token[15:18]}-{token[18:30]}"


def sub_ticket_id(parent: str, index: int) -> str:
    """The ticket of the `index`-th sub-task, counted from 1."""
    return f"{parent}-{index:02d}"


def safe_name(text: str, what: str) -> str:
    """Return `text` if it can be a file name on every system we write to.

    Raises:
        PmError: E210 otherwise; nothing is rewritten silently.
    """
    if SAFE_NAME.fullmatch(text) is None:
        raise PmError("unsafe_name", what=what, text=repr(text))
    return text


def iso(moment: datetime) -> str:
    """ISO 8601 in UTC with milliseconds, the one form in every record."""
    return moment.replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"
