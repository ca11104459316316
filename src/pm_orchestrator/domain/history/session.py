"""Sessions, threads and runs, as `05` defines them."""

from enum import StrEnum

from pm_orchestrator.domain.record import Record
from pm_orchestrator.domain.setup.settings import Settings
from pm_orchestrator.domain.tasks.phase import Phase
from pm_orchestrator.domain.tasks.task import LimitViolation


class SessionStatus(StrEnum):
    """How a session stands as a whole; never a verdict on its tasks."""

    READY = "READY"
    """Nothing is unfinished; the next task may begin."""
    RUNNING = "RUNNING"
    """A task is being carried out."""
    AWAITING_RESPONSE = "AWAITING_RESPONSE"
    """A person at a terminal is being asked."""
    UNFINISHED = "UNFINISHED"
    """A task did not end as COMPLETE; going on with it needs an explicit approval."""


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


class Session(Record, frozen=True, kw_only=True):
    """`logs/sessions/<session_id>/session_state.json`: the whole session."""

    session_id: str
    started_at: str
    target_project: str
    """Absolute path."""
    runner_version: str
    configuration: Settings
    current_phase: Phase
    status: SessionStatus
    continuation_approved: bool
    limit_violations: tuple[LimitViolation, ...]
    selected_provider: str | None
    selected_model: str | None


class Thread(Record, frozen=True, kw_only=True):
    """One conversation of a session."""

    thread_id: str
    session_id: str
    thread_type: ThreadType
    created_at: str
    description: str | None = None


class Run(Record, frozen=True, kw_only=True):
    """One stretch of work; a line of `logs/sessions/<session_id>/runs.jsonl`."""

    run_id: str
    thread_id: str
    session_id: str
    started_at: str
    completed_at: str | None
    status: RunStatus
    trigger: RunTrigger


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


class UnfinishedTask(Record, frozen=True, kw_only=True):
    """A task that has begun and not ended, noted before anything else about it is written."""

    session_id: str
    task_id: str
    thread_id: str
    run_id: str
    prompt: str
    """Masked; a log that was never begun is written from it."""


class UnfinishedTasks(Record, frozen=True, kw_only=True):
    """`runtime/state/unfinished.json`: what a start after a crash has to close."""

    tasks: tuple[UnfinishedTask, ...] = ()
