"""What the events of a task's log say, one record per type: written and read only as these.

On disk an event is what `05` says, with an open `content`. Fields that another version may
have added are nobody's loss; one that lacks what its type must say is refused.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from pm_orchestrator.domain.history.task_log import (
    BlockedReason,
    LogEvent,
    LogEventType,
    TerminatedBy,
    VisibilityLevel,
)
from pm_orchestrator.domain.record import MalformedRecordError
from pm_orchestrator.domain.tasks.status import TaskStatus


class UserInput(msgspec.Struct, frozen=True, kw_only=True):
    """What the user asked for."""

    text: str


class RunnerClarification(msgspec.Struct, frozen=True, kw_only=True):
    """A question, with what may be answered, or with the answer it has already."""

    question: str
    options: tuple[str, ...] | UnsetType = UNSET
    answer: str | UnsetType = UNSET
    answered_by: str | UnsetType = UNSET


class UserResponse(msgspec.Struct, frozen=True, kw_only=True):
    """What a person answered."""

    response: str
    selected_option: str | UnsetType = UNSET


class TaskStarted(msgspec.Struct, frozen=True, kw_only=True):
    """What a task sets out to do."""

    action: str
    target_file: str | UnsetType = UNSET
    way: Literal["solo", "company"] | UnsetType = UNSET
    """Said where it is not the plain one."""
    adapter: str | UnsetType = UNSET
    """Said where a model API was named for this task alone, with its model."""
    model: str | UnsetType = UNSET


class TaskEnded(msgspec.Struct, frozen=True, kw_only=True):
    """What a task came to."""

    status: TaskStatus
    files_modified: tuple[str, ...] = ()
    evidence_ref: str | UnsetType = UNSET
    error_message: str | UnsetType = UNSET
    accepted: tuple[str, ...] | UnsetType = UNSET
    """What a person took upon themselves."""
    not_proved: tuple[str, ...] | UnsetType = UNSET
    """In full what that was."""


class TaskCompleted(TaskEnded, frozen=True, kw_only=True):
    """The Runner has proved it, or a person has accepted it."""


class TaskIncomplete(TaskEnded, frozen=True, kw_only=True):
    """Something is missing."""


class TaskErred(TaskEnded, frozen=True, kw_only=True):
    """Something broke."""


class EvidenceMissing(msgspec.Struct, frozen=True, kw_only=True):
    """What should be there and is not."""

    files: tuple[str, ...]
    reason: str


class MediationRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What a model was asked on the Runner's behalf."""

    provider: str
    model: str
    prompt_summary: str
    tokens_input: int


class MediationResponse(msgspec.Struct, frozen=True, kw_only=True):
    """What came back."""

    provider: str
    model: str
    response_type: str
    tokens_output: int
    latency_ms: int


class ExecutorDispatch(msgspec.Struct, frozen=True, kw_only=True):
    """The task goes to its executor."""

    executor: str
    task_summary: str
    conversation: str | UnsetType = UNSET
    """The executor's own session, said before it begins, so that nothing can cut it off from us."""


class ExecutorOutput(msgspec.Struct, frozen=True, kw_only=True):
    """What an executor left."""

    executor: str
    exit_code: int | None
    output_summary: str
    raw_output_ref: str
    conversation: str | None = None
    """The executor's own session."""
    permission_denials: tuple[str, ...] = ()
    denied_calls: tuple[str, ...] = ()
    """What it was denied, one line for each call, where no person had declined it."""
    failed_tool_calls: tuple[str, ...] = ()
    tokens_input: int | UnsetType = UNSET
    tokens_output: int | UnsetType = UNSET
    tokens_cache_creation_input: int | UnsetType = UNSET
    tokens_cache_read_input: int | UnsetType = UNSET
    tokens_used: int | UnsetType = UNSET
    """All together, by its own count."""
    cost_usd: float | UnsetType = UNSET
    """By its own account."""
    turns: int | UnsetType = UNSET
    characters: int | UnsetType = UNSET
    """Of everything sent to it and received from it, as the Runner saw it go by."""
    seconds: int | UnsetType = UNSET


class ExecutorBlocked(msgspec.Struct, frozen=True, kw_only=True):
    """Why an executor could not go on, and how it was ended."""

    executor: str
    blocked_reason: BlockedReason
    detected_pattern: str | None
    timeout_ms: int
    terminated_by: TerminatedBy
    termination_signal: str | None


class FileOperation(msgspec.Struct, frozen=True, kw_only=True):
    """A change of one file, a count of more, or what was odd about files."""

    operation: str | UnsetType = UNSET
    path: str | UnsetType = UNSET
    count: int | UnsetType = UNSET
    findings: tuple[Mapping[str, str], ...] | UnsetType = UNSET


class RanTests(msgspec.Struct, frozen=True, kw_only=True):
    """A test gate the Runner ran, and what came of it."""

    gate: str
    verdict: str
    command: tuple[str, ...] = ()
    exit_code: int | None = None
    tests_run: int | None = None
    evidence_ref: str | None = None


LogContent = (
    UserInput
    | RunnerClarification
    | UserResponse
    | TaskStarted
    | TaskCompleted
    | TaskIncomplete
    | TaskErred
    | EvidenceMissing
    | MediationRequest
    | MediationResponse
    | ExecutorDispatch
    | ExecutorOutput
    | ExecutorBlocked
    | FileOperation
    | RanTests
)

CONTENTS: Mapping[LogEventType, type[LogContent]] = {
    LogEventType.USER_INPUT: UserInput,
    LogEventType.RUNNER_CLARIFICATION: RunnerClarification,
    LogEventType.USER_RESPONSE: UserResponse,
    LogEventType.TASK_STARTED: TaskStarted,
    LogEventType.TASK_COMPLETED: TaskCompleted,
    LogEventType.TASK_INCOMPLETE: TaskIncomplete,
    LogEventType.TASK_ERROR: TaskErred,
    LogEventType.EVIDENCE_MISSING: EvidenceMissing,
    LogEventType.LLM_MEDIATION_REQUEST: MediationRequest,
    LogEventType.LLM_MEDIATION_RESPONSE: MediationResponse,
    LogEventType.EXECUTOR_DISPATCH: ExecutorDispatch,
    LogEventType.EXECUTOR_OUTPUT: ExecutorOutput,
    LogEventType.EXECUTOR_BLOCKED: ExecutorBlocked,
    LogEventType.FILE_OPERATION: FileOperation,
    LogEventType.TEST_EXECUTION: RanTests,
}
_TYPES = {kind: event_type for event_type, kind in CONTENTS.items()}
_FULL_ONLY = (
    MediationRequest | MediationResponse | ExecutorDispatch | ExecutorOutput | FileOperation
)
"""Who wants only the outcome is not shown these."""


def event_of(content: LogContent, timestamp: str) -> LogEvent:
    """The event that says `content`; not masked yet."""
    full = isinstance(content, _FULL_ONLY)
    return LogEvent(
        event_type=_TYPES[type(content)],
        timestamp=timestamp,
        visibility_level=VisibilityLevel.FULL if full else VisibilityLevel.SUMMARY,
        content=msgspec.to_builtins(content),
    )


C = TypeVar("C", bound=LogContent)


def contents(events: Iterable[LogEvent], *kinds: type[C]) -> Iterator[C]:
    """What the events of these kinds say, in their order; of others nothing is read.

    Raises:
        MalformedRecordError: E302 for one that lacks what its type must say.
    """
    wanted = {_TYPES[kind]: kind for kind in kinds}
    for event in events:
        if event.event_type in wanted:
            yield _read(event, wanted[event.event_type])


def _read(event: LogEvent, kind: type[C]) -> C:
    try:
        return msgspec.convert(event.content, kind, strict=True)
    except msgspec.ValidationError as error:
        source = f"{event.event_type} of {event.timestamp}"
        raise MalformedRecordError("evidence_invalid", evidence=source, reason=error) from error
