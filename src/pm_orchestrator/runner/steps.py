"""The steps of a company run: what goes into each and what comes out.

These records are what the journal keeps, so they are small: large things travel
by reference (a commit id, a path in the run directory).
"""

from pm_orchestrator.domain.assignment import Assignment, AttemptResult
from pm_orchestrator.domain.gate import Gate, GateReport
from pm_orchestrator.domain.outcome import CommitInfo, Reason, VerifiedOutcome
from pm_orchestrator.domain.phase import Phase
from pm_orchestrator.domain.record import Record
from pm_orchestrator.domain.report import RunResult
from pm_orchestrator.domain.task import SubTask, TaskType
from pm_orchestrator.ports.engine import Step


class RunOrder(Record, frozen=True, kw_only=True):
    """What a run is started with."""

    run_id: str
    session_id: str
    task_id: str
    ticket: str
    instruction: str
    project: str
    base_ref: str
    target: str
    """The branch a finished run is proposed to."""
    remote: str | None
    model: str
    max_attempts: int
    max_turns: int


class PhaseEntered(Record, frozen=True, kw_only=True):
    """A phase that begins."""

    phase: Phase


class Analysis(Record, frozen=True, kw_only=True):
    """What the instruction asks for, and the ground it starts from."""

    task_type: TaskType
    question: str | None
    expected_files: tuple[str, ...]
    base: str
    """Commit the run starts from."""
    gates: tuple[Gate, ...]
    """The project's gates as they stand at the base; agents cannot change them."""
    preflight: GateReport
    """The gates on the untouched base."""


class DecomposeInput(Record, frozen=True, kw_only=True):
    """An analysed order."""

    order: RunOrder
    analysis: Analysis


class Plan(Record, frozen=True, kw_only=True):
    """The sub-tasks the Runner approved."""

    sub_tasks: tuple[SubTask, ...]


class PlanInput(Record, frozen=True, kw_only=True):
    """What planning starts from."""

    order: RunOrder
    analysis: Analysis
    plan: Plan


class Schedule(Record, frozen=True, kw_only=True):
    """Who does what from where. One stage: sub-tasks are independent."""

    first_assignments: tuple[Assignment, ...]


class ExamineInput(Record, frozen=True, kw_only=True):
    """A claim to be checked."""

    base: str
    gates: tuple[Gate, ...]
    assignment: Assignment
    result: AttemptResult


class Examination(Record, frozen=True, kw_only=True):
    """What is true of an attempt, beside what was claimed."""

    outcome: VerifiedOutcome
    commits: tuple[CommitInfo, ...]
    speculative: bool
    started_at: str
    ended_at: str


class Work(Record, frozen=True, kw_only=True):
    """All attempts at one sub-task; the last one counts."""

    sub_task: SubTask
    branch: str
    attempts: tuple[AttemptResult, ...]
    examinations: tuple[Examination, ...]

    @property
    def outcome(self) -> VerifiedOutcome:
        return self.examinations[-1].outcome


class MergeInput(Record, frozen=True, kw_only=True):
    """One accepted branch on its way into the run's branch."""

    into: str
    commit: str
    sub_task: SubTask


class MergeOutput(Record, frozen=True, kw_only=True):
    """The merge commit, or the files in conflict."""

    commit: str | None
    conflicts: tuple[str, ...]


class CheckInput(Record, frozen=True, kw_only=True):
    """A commit to run the gates on."""

    commit: str
    label: str
    base: str
    gates: tuple[Gate, ...]


class Integration(Record, frozen=True, kw_only=True):
    """The run's branch after all merges."""

    commit: str
    merged: tuple[str, ...]
    """Tickets that are in it."""
    left_out: dict[str, Reason]
    """Tickets that are not, with the reason."""
    gates: GateReport


class ValidateInput(Record, frozen=True, kw_only=True):
    """Everything the verdict may rest on. No claim is among it."""

    order: RunOrder
    analysis: Analysis
    tickets: tuple[str, ...]
    expected_files: tuple[str, ...]
    integration: Integration


class ReportInput(Record, frozen=True, kw_only=True):
    """A verdict on its way to a person."""

    order: RunOrder
    analysis: Analysis
    work: tuple[Work, ...]
    integration: Integration
    outcome: VerifiedOutcome


ENTER_PHASE = Step(name="enter_phase", input=PhaseEntered, output=PhaseEntered)
ANALYSE = Step(name="analyse", input=RunOrder, output=Analysis)
DECOMPOSE = Step(name="decompose", input=DecomposeInput, output=Plan)
PLAN = Step(name="plan", input=PlanInput, output=Schedule)
ATTEMPT = Step(name="attempt", input=Assignment, output=AttemptResult)
EXAMINE = Step(name="examine", input=ExamineInput, output=Examination)
MERGE = Step(name="merge", input=MergeInput, output=MergeOutput)
CHECK = Step(name="check", input=CheckInput, output=GateReport)
VALIDATE = Step(name="validate", input=ValidateInput, output=VerifiedOutcome)
REPORT = Step(name="report", input=ReportInput, output=RunResult)
