"""The steps of a run: what goes into each and what comes out.

These records are what a journal keeps, so they are small: large things travel by
reference (a commit id, a name in what the run keeps).
"""

from collections.abc import Awaitable, Callable
from typing import Any

from pm_orchestrator.domain.company.assignment import Assignment, AttemptResult
from pm_orchestrator.domain.judging.effect import Refs
from pm_orchestrator.domain.judging.finding import OddFinding
from pm_orchestrator.domain.judging.gate import Gate
from pm_orchestrator.domain.judging.outcome import Reason
from pm_orchestrator.domain.record import Record
from pm_orchestrator.domain.tasks.phase import Phase
from pm_orchestrator.domain.tasks.run_ids import RunIds
from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.domain.tasks.task import SubTask
from pm_orchestrator.ports.engine import Step, StepFailure
from pm_orchestrator.runner.instructions.requirement import Requirement
from pm_orchestrator.runner.places.place import Delivered
from pm_orchestrator.runner.records.task_run import Way

StepWork = Callable[[Any], Awaitable[Any]]
"""What is done in a step, however the step is kept."""


class RunOrder(RunIds, frozen=True, kw_only=True):
    """What a run is started with."""

    ticket: str
    way: Way
    instruction: str
    project: str
    base: str = ""
    """The commit it starts from; the project directory needs none."""
    target: str = ""
    """The branch a finished run is proposed to."""
    remote: str | None = None
    adapter: str | None = None
    """The model API that is asked; None where the settings say."""
    executor: str | None = None
    """What its workers are; None where the settings say."""
    model: str | None = None
    max_attempts: int = 1
    max_turns: int = 1
    earlier: str | None = None
    """The run of the same task that this one goes on from."""
    workers: int = 1
    replay: str | None = None
    """Answers come from this recording instead of a provider."""
    record: str | None = None
    """Answers are recorded, to be put here when the run has come to its end."""
    notes: tuple[Reason, ...] = ()
    """What a person should know about the start."""


class PhaseEntered(Record, frozen=True, kw_only=True):
    """A phase that begins."""

    phase: Phase


class Analysis(Record, frozen=True, kw_only=True):
    """What the instruction asks for, and what it is judged by."""

    requirement: Requirement
    gates: tuple[Gate, ...]
    """The project's gates as they stand before the task; whoever works cannot change them."""
    refs: Refs | None = None
    """Branches, tags and HEAD before the task, where it asks for any."""
    on_base: str | None = None
    """The kept report of the gates on the untouched base, where they were run on it."""


class Plan(Record, frozen=True, kw_only=True):
    """The sub-tasks the Runner approved."""

    sub_tasks: tuple[SubTask, ...]
    whole: bool
    """The only sub-task is the task itself."""


PLANNED = "plan"
"""The name under which a run keeps its plan."""


class PlanInput(Record, frozen=True, kw_only=True):
    """What planning starts from."""

    analysis: Analysis
    plan: Plan


class Examination(Record, frozen=True, kw_only=True):
    """What is true of an attempt or of a merged tree."""

    status: TaskStatus
    reason: Reason
    tree: str | None
    """The delivered tree; None where nothing was delivered."""
    deliverable: bool
    """Nothing speaks against it but what a person may accept."""
    facts: str
    """Where the facts behind it are kept."""
    feedback: str = ""
    unfinished: bool = False
    """Whoever did it never said that it was done."""


class Begun(Record, frozen=True, kw_only=True):
    """A sub-task as the run finds it."""

    assignment: Assignment
    """Its next attempt."""
    done: Examination | None = None
    """It was delivered by an earlier run of the task."""


class Schedule(Record, frozen=True, kw_only=True):
    """Who does what from where. One stage: sub-tasks are independent."""

    items: tuple[Begun, ...]
    findings: tuple[OddFinding, ...] = ()
    """What was odd before anybody began."""


class ExamineInput(Record, frozen=True, kw_only=True):
    """A claim to be checked."""

    analysis: Analysis
    assignment: Assignment
    result: AttemptResult
    whole: bool


class MergeInput(Record, frozen=True, kw_only=True):
    """One delivered branch on its way into the run's branch."""

    into: str
    commit: str
    sub_task: SubTask


class MergeOutput(Record, frozen=True, kw_only=True):
    """The merge commit, or the files in conflict."""

    commit: str | None
    conflicts: tuple[str, ...]


class CheckInput(Record, frozen=True, kw_only=True):
    """A merged tree to be judged."""

    analysis: Analysis
    tree: str
    label: str
    parts: tuple[str, ...]
    """The kept facts of the sub-tasks that are in it."""


class WorkDone(Record, frozen=True, kw_only=True):
    """Where one sub-task has got to."""

    sub_task: SubTask
    branch: str
    attempts: tuple[int, ...]
    """Their numbers; what they claimed and what was found is kept under them."""
    examined: Examination | None
    failure: StepFailure | None = None
    """What stopped it, where it could not be examined."""


class Integration(Record, frozen=True, kw_only=True):
    """The run's tree after all merges."""

    tree: str | None
    merged: tuple[str, ...]
    """Tickets that are in it."""
    left_out: dict[str, Reason]
    """Tickets that are not, with the reason."""
    facts: str | None
    """The kept facts about the tree."""
    parts: tuple[str, ...] = ()
    """The kept facts about what is in it."""


class ValidateInput(Record, frozen=True, kw_only=True):
    """Everything the verdict may rest on. No claim is among it."""

    analysis: Analysis
    whole: bool
    tickets: tuple[str, ...]
    integration: Integration


class Verdict(Record, frozen=True, kw_only=True):
    """The Runner's decision on the task, with the kept facts it rests on."""

    status: TaskStatus
    reason: Reason
    facts: str
    notes: tuple[Reason, ...] = ()
    """What a person should know besides."""


class DeliverInput(Record, frozen=True, kw_only=True):
    """A judged tree on its way out."""

    integration: Integration
    verdict: Verdict


class ReportInput(Record, frozen=True, kw_only=True):
    """A verdict on its way to a person."""

    work: tuple[WorkDone, ...]
    integration: Integration
    verdict: Verdict
    delivered: Delivered
    findings: tuple[OddFinding, ...] = ()


class RunEnd(Record, frozen=True, kw_only=True):
    """The run is over."""

    status: TaskStatus
    result: str
    """Where the whole result is kept."""


ENTER_PHASE = Step(name="enter_phase", input=PhaseEntered, output=PhaseEntered)
ANALYSE = Step(name="analyse", input=RunOrder, output=Analysis)
DECOMPOSE = Step(name="decompose", input=Analysis, output=Plan)
PLAN = Step(name="plan", input=PlanInput, output=Schedule)
ATTEMPT = Step(name="attempt", input=Assignment, output=AttemptResult)
EXAMINE = Step(name="examine", input=ExamineInput, output=Examination)
MERGE = Step(name="merge", input=MergeInput, output=MergeOutput)
CHECK = Step(name="check", input=CheckInput, output=Examination)
VALIDATE = Step(name="validate", input=ValidateInput, output=Verdict)
DELIVER = Step(name="deliver", input=DeliverInput, output=Delivered)
REPORT = Step(name="report", input=ReportInput, output=RunEnd)
