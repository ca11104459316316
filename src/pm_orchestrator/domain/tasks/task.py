"""Tasks, their limits, and the parts a task is split into."""

from enum import StrEnum
from typing import Literal

from msgspec import UNSET, UnsetType

from pm_orchestrator.domain.record import Record
from pm_orchestrator.domain.tasks.evidence_record import EvidenceSummary
from pm_orchestrator.domain.tasks.status import TaskStatus

Effort = Literal["small", "medium", "large"]


class TaskType(StrEnum):
    """What kind of work an instruction asks for."""

    READ_INFO = "READ_INFO"
    REPORT = "REPORT"
    LIGHT_EDIT = "LIGHT_EDIT"
    IMPLEMENTATION = "IMPLEMENTATION"
    REVIEW_RESPONSE = "REVIEW_RESPONSE"
    CONFIG_CI_CHANGE = "CONFIG_CI_CHANGE"
    DANGEROUS_OP = "DANGEROUS_OP"


class TaskLimits(Record, frozen=True, kw_only=True):
    """How much one task may change and how long it may take."""

    max_files: int
    max_tests: int
    max_seconds: int


class AskedLimits(Record, frozen=True, kw_only=True):
    """What a person allows one task instead; None leaves what is set. There is no maximum."""

    files: int | None = None
    seconds: int | None = None


class LimitViolation(Record, frozen=True, kw_only=True):
    """A limit that was overrun; work does not go on by itself after one."""

    limit_type: str
    limit_value: int
    actual_value: int
    timestamp: str
    resolution_required: bool


class TestRun(Record, frozen=True, kw_only=True):
    """One test gate the Runner ran, for a task's `tests_run`."""

    __test__ = False  # not a pytest class, whatever its name

    name: str
    verdict: str
    evidence_id: str | None = None


class Task(Record, frozen=True, kw_only=True):
    """The smallest unit the Runner manages."""

    task_id: str
    thread_id: str
    run_id: str
    parent_task_id: str | None
    description: str
    requirements: tuple[str, ...]
    status: TaskStatus
    evidence_refs: tuple[str, ...]
    files_modified: tuple[str, ...]
    """Absolute paths."""
    tests_run: tuple[TestRun, ...]
    tests_required_before_implementation: bool
    granularity_limits: TaskLimits
    decomposition_approved_by_runner: bool
    log_ref: str
    assigned_executor: str | UnsetType = UNSET


class TaskResult(Record, frozen=True, kw_only=True):
    """What became of a task, for whoever waits for it."""

    task_id: str
    status: TaskStatus
    started_at: str
    evidence: EvidenceSummary
    clarification_needed: bool
    """The task stopped before any executor, to ask."""
    completed_at: str | UnsetType = UNSET
    error: str | UnsetType = UNSET
    clarification_question: str | UnsetType = UNSET
    """One or two lines; there only when a clarification is needed."""


class SubTask(Record, frozen=True, kw_only=True):
    """A part of a task, below the manager; `ticket` is `<parent>-<sub>`."""

    ticket: str
    parent_id: str
    title: str
    description: str
    acceptance_criteria: tuple[str, ...]
    expected_files: tuple[str, ...]
    estimated_effort: Effort = "small"

    @property
    def sub_id(self) -> str:
        return self.ticket.rsplit("-", 1)[1]
