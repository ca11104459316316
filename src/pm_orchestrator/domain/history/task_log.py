"""The log of a task and its index, as `05` defines them."""

from enum import StrEnum
from typing import Any

from msgspec import UNSET, UnsetType

from pm_orchestrator.domain.record import Record
from pm_orchestrator.domain.tasks.evidence_record import ArtifactList, EvidenceSummary, VerifiedFile
from pm_orchestrator.domain.tasks.status import SHOWN, TaskStatus


class TaskLogStatus(StrEnum):
    """State of a log; the last three are terminal."""

    QUEUED = "queued"
    RUNNING = "running"
    COMPLETE = "complete"
    INCOMPLETE = "incomplete"
    ERROR = "error"


def log_status(status: TaskStatus) -> TaskLogStatus:
    """The log's word for a verdict: NO_EVIDENCE is incomplete, INVALID is error."""
    return TaskLogStatus(SHOWN[status].value.lower())


class VisibilityLevel(StrEnum):
    """How much of a log is shown."""

    SUMMARY = "summary"
    FULL = "full"


class LogEventType(StrEnum):
    """What happened in a task."""

    USER_INPUT = "USER_INPUT"
    RUNNER_CLARIFICATION = "RUNNER_CLARIFICATION"
    USER_RESPONSE = "USER_RESPONSE"
    TASK_STARTED = "TASK_STARTED"
    TASK_COMPLETED = "TASK_COMPLETED"
    TASK_INCOMPLETE = "TASK_INCOMPLETE"
    TASK_ERROR = "TASK_ERROR"
    EVIDENCE_MISSING = "EVIDENCE_MISSING"
    LLM_MEDIATION_REQUEST = "LLM_MEDIATION_REQUEST"
    LLM_MEDIATION_RESPONSE = "LLM_MEDIATION_RESPONSE"
    EXECUTOR_DISPATCH = "EXECUTOR_DISPATCH"
    EXECUTOR_OUTPUT = "EXECUTOR_OUTPUT"
    EXECUTOR_BLOCKED = "EXECUTOR_BLOCKED"
    FILE_OPERATION = "FILE_OPERATION"
    TEST_EXECUTION = "TEST_EXECUTION"


class BlockedReason(StrEnum):
    """Why an executor could not go on."""

    INTERACTIVE_PROMPT = "INTERACTIVE_PROMPT"
    TIMEOUT = "TIMEOUT"
    STDIN_REQUIRED = "STDIN_REQUIRED"


class TerminatedBy(StrEnum):
    """Who ended a blocked executor."""

    REPL_FAIL_CLOSED = "REPL_FAIL_CLOSED"
    USER = "USER"
    TIMEOUT = "TIMEOUT"


class LogEvent(Record, frozen=True, kw_only=True):
    """One thing that happened, in order of time."""

    event_type: LogEventType
    timestamp: str
    visibility_level: VisibilityLevel
    content: dict[str, Any]
    """Read and written by `domain/history/log_contents.py` alone."""


class TaskLogSummary(Record, frozen=True, kw_only=True):
    """The events of a log, counted."""

    total_events: int
    summary_events: int
    full_events: int
    total_tokens_input: int
    total_tokens_output: int
    total_latency_ms: int


class TaskLog(Record, frozen=True, kw_only=True):
    """`logs/sessions/<session>/tasks/<log id>.json`."""

    task_id: str
    """The external id, `task-<epoch ms>`."""
    log_id: str
    """`task-NNN`, which names the file."""
    session_id: str
    status: TaskLogStatus
    started_at: str
    ended_at: str | None
    prompt_summary: str
    runner_decision: str
    error_reason: str | None
    artifacts: ArtifactList
    visibility: VisibilityLevel
    masked: bool
    events: tuple[LogEvent, ...]
    thread_id: str
    run_id: str
    parent_task_id: str | None
    created_at: str
    evidence_refs: tuple[str, ...]
    verification_root: str
    verified_files: tuple[VerifiedFile, ...]
    executor_summary: str | UnsetType = UNSET
    evidence_summary: EvidenceSummary | UnsetType = UNSET
    summary: TaskLogSummary | UnsetType = UNSET
    executor_blocked: bool | UnsetType = UNSET
    blocked_reason: BlockedReason | UnsetType = UNSET
    timeout_ms: int | UnsetType = UNSET
    terminated_by: TerminatedBy | UnsetType = UNSET
    accepted: tuple[str, ...] | UnsetType = UNSET
    """What a person accepted without a proof, where that is why it is complete."""


CUT_OFF = "the Runner's process ended before the task did; its work was not verified"
"""Why a task without a living owner has not come to its end."""
SELECTION_ALTERED = ".claude/repl.json was altered since it began, and is as it was"
SETTINGS_ALTERED = ".claude/settings.json was altered since it began, and is as it was"
"""What may stand behind that."""


def was_cut_off(log: TaskLog) -> bool:
    """Whether it had a dead owner, and nobody has looked at its end."""
    reason = log.error_reason or ""
    for altered in (SELECTION_ALTERED, SETTINGS_ALTERED):
        reason = reason.replace(f"; {altered}", "")
    return reason == CUT_OFF


class TaskLogEntry(Record, frozen=True, kw_only=True):
    """One line of an index."""

    task_id: str
    """The log id, `task-NNN`."""
    external_task_id: str
    thread_id: str
    run_id: str
    parent_task_id: str | None
    status: TaskLogStatus
    started_at: str
    completed_at: str | None
    duration_ms: int
    files_modified_count: int
    tests_run_count: int
    log_file: str
    accepted: bool | UnsetType = UNSET
    """It is complete by a person's word, and not by proof."""


class TaskLogIndex(Record, frozen=True, kw_only=True):
    """`index.json` of a session; `logs/index.json` holds those of all sessions."""

    session_id: str
    created_at: str
    updated_at: str
    entries: tuple[TaskLogEntry, ...]


class SessionLogEntry(Record, frozen=True, kw_only=True):
    """One session in the index over all sessions."""

    session_id: str
    started_at: str
    index_file: str
    """Path of the session's own index, relative to the `logs` directory."""


class SessionLogIndex(Record, frozen=True, kw_only=True):
    """What `logs/index.json` was in older projects: all sessions, in order of their start."""

    created_at: str
    updated_at: str
    sessions: tuple[SessionLogEntry, ...]
