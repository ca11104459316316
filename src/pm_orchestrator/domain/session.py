"""Sessions, threads and runs, as `05` defines them."""

from enum import StrEnum

from pm_orchestrator.domain.record import Record


class ThreadType(StrEnum):
    """Who speaks in a thread."""

    MAIN = "main"
    BACKGROUND = "background"
    SYSTEM = "system"


class RunStatus(StrEnum):
    """How a run stands."""

    RUNNING = "RUNNING"
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"


class RunTrigger(StrEnum):
    """What started a run."""

    USER_INPUT = "USER_INPUT"
    USER_RESPONSE = "USER_RESPONSE"
    CONTINUATION = "CONTINUATION"
    EXECUTOR = "EXECUTOR"


class ThreadEntry(Record, frozen=True, kw_only=True):
    """A thread as the session file lists it."""

    thread_id: str
    thread_type: ThreadType


class RunEntry(Record, frozen=True, kw_only=True):
    """A run as the session file lists it."""

    run_id: str
    thread_id: str
    status: RunStatus


class SessionMetadata(Record, frozen=True, kw_only=True):
    """`logs/sessions/<session_id>/session.json`."""

    session_id: str
    started_at: str
    threads: tuple[ThreadEntry, ...]
    runs: tuple[RunEntry, ...]
