"""What is said at the end: the Runner's report and each worker's result."""

from typing import Literal

from msgspec import UNSET, UnsetType, field

from pm_orchestrator.domain.judging.finding import OddFinding
from pm_orchestrator.domain.judging.gate import GateReport, GateResult
from pm_orchestrator.domain.judging.line_changes import ChangedLines
from pm_orchestrator.domain.judging.outcome import CommitInfo, ExecutorClaim, FileChange, Reason
from pm_orchestrator.domain.record import Record
from pm_orchestrator.domain.tasks.evidence_record import EvidenceInventory, EvidenceSummary
from pm_orchestrator.domain.tasks.run_ids import RunIds
from pm_orchestrator.domain.tasks.status import OverallStatus, TaskStatus
from pm_orchestrator.domain.tasks.task import LimitViolation, Task, TaskResult

WorkStatus = Literal["success", "partial", "quality_failed", "error"]


class RunReport(Record, frozen=True, kw_only=True):
    """`05` calls this ExecutionResult."""

    session_id: str
    overall_status: OverallStatus
    tasks: tuple[Task, ...]
    evidence_summary: EvidenceSummary
    next_action: bool
    next_action_reason: str
    violations: tuple[str, ...]
    incomplete_task_reasons: tuple[str, ...]
    evidence_inventory: EvidenceInventory
    speculative_language_detected: bool
    selected_provider: str | None
    selected_model: str | None
    accepted: tuple[str, ...] | UnsetType = UNSET
    """What a person accepted without a proof, where that is why it is complete."""


class GateFlag(Record, frozen=True, kw_only=True):
    """The engine document's boolean view; `verdict` tells the four apart."""

    passed: bool
    verdict: str
    output: str


class QualityGates(Record, frozen=True, kw_only=True):
    """Both gates of one commit."""

    lint: GateFlag
    test: GateFlag
    overall: bool


class Refusal(Record, frozen=True, kw_only=True):
    """A claim the Runner did not accept: what was said, beside what is true."""

    attempt: int
    claim: ExecutorClaim
    reason: Reason


class WorkResult(Record, frozen=True, kw_only=True):
    """What one worker delivered (the engine document's ExecutionResult)."""

    run_id: str
    ticket_id: str
    agent_id: str
    title: str
    status: WorkStatus
    start_time: str
    end_time: str
    artifacts: tuple[FileChange, ...]
    git_branch: str
    commits: tuple[CommitInfo, ...]
    quality_gates: QualityGates
    errors: tuple[str, ...]
    refusals: tuple[Refusal, ...]
    conversation_turns: int
    tokens_used: int


class Spent(Record, frozen=True, kw_only=True):
    """What a task has used in all its runs together."""

    tokens: int = 0
    cost_usd: float | None = None
    """As far as its executors say."""
    seconds: int = 0
    """That its executors worked, and the gates of its last run."""
    turns: int = 0
    """Answers of models, as far as they are counted one by one."""
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    """Of the input, read from a provider's cache."""
    stored_tokens: int = 0
    """Of the input, written into it."""
    unpriced_tokens: int = 0
    """Those whose price is not known; they are not in the cost."""
    estimated: bool = False
    """A provider did not say what it counted, or a question was cut off on its way."""
    agents: "dict[str, Spent]" = field(default_factory=dict)
    """What each agent has used of it; a worker's name holds its sub-task and attempt."""


class RunResult(RunIds, frozen=True, kw_only=True):
    """Everything a run ended with, for whoever asked for it; `execution_result.json`."""

    ticket_id: str
    status: OverallStatus
    reason: Reason
    instruction: str
    changes: tuple[FileChange, ...]
    summary: EvidenceSummary
    """What the Runner looked for and what it found."""
    unlisted_changes: int = 0
    lines: tuple[ChangedLines, ...] = ()
    """The same files with the lines that came and went, for people."""
    claim: ExecutorClaim | None = None
    """What the only executor said, beside the verdict; never a part of it."""
    gates: GateReport | None = None
    findings: tuple[OddFinding, ...] = ()
    """What was odd; proof of nothing."""
    answer: str | None = None
    """Path of the stored answer, where that is what was asked for."""
    branch: str | None = None
    """Where the result is, if it is not in the project directory."""
    commit: str | None = None
    left_out: dict[str, Reason] = field(default_factory=dict)
    """Sub-tasks that are not in the result."""
    work: tuple[WorkResult, ...] = ()
    review_id: str | None = None
    unenforced_limits: tuple[str, ...] = ()
    kept_refs: tuple[str, ...] = ()
    """Work that is not in the result, and where it was saved."""
    left_to_do: tuple[Reason, ...] = ()
    """What could not be done and can be repeated."""
    notes: tuple[Reason, ...] = ()
    """What a person should know besides."""
    violations: tuple[LimitViolation, ...] = ()
    not_proved: tuple[Reason, ...] = ()
    """All that speaks against it, whether or not a person has accepted it."""
    acceptable: tuple[str, ...] = ()
    """The names of what a person may still accept."""
    accepted: tuple[str, ...] = ()
    """The names of what a person has accepted; where it is COMPLETE, instead of a proof."""
    spent: Spent = Spent()
    """By the task and not only by this run of it."""
    evidence_ids: tuple[str, ...] = ()
    result: TaskResult | None = None
    """The end in the words of `05`, once the task's log is closed."""
    report: RunReport | None = None
    """The Runner's whole report, likewise."""

    @property
    def words(self) -> str:
        """What the agent said last; an answer that was asked for is the result itself."""
        return "" if self.claim is None or self.answer is not None else self.claim.summary

    @property
    def is_accepted(self) -> bool:
        """Whether it is complete by a person's word, and not by proof."""
        return self.status is TaskStatus.COMPLETE and bool(self.accepted)


def quality_gates(report: GateReport | None) -> QualityGates:
    """Booleans are true only for pass; an absent gate is none, but does not spoil `overall`."""
    results = report.results if report is not None else ()
    lint, test = (_flag(results, kind) for kind in ("lint", "test"))
    overall = report is not None and all(f.verdict in {"pass", "absent"} for f in (lint, test))
    return QualityGates(lint=lint, test=test, overall=overall)


def _flag(results: tuple[GateResult, ...], kind: str) -> GateFlag:
    found = next((r for r in results if r.kind == kind), None)
    if found is None:
        return GateFlag(passed=False, verdict="absent", output="")
    return GateFlag(passed=found.verdict == "pass", verdict=found.verdict, output=found.output)


# Whose failure: quality_failed when gates said no, partial when work is missing.
def work_status(status: TaskStatus, gates: QualityGates) -> WorkStatus:
    """The engine document's word for a verdict on one worker's work."""
    if status is TaskStatus.COMPLETE:
        return "success"
    if status is not TaskStatus.INCOMPLETE:
        return "error"
    failed = "fail" in {gates.lint.verdict, gates.test.verdict}
    return "quality_failed" if failed else "partial"
