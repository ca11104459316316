"""Work on its way to whoever does it, and what comes back."""

from pm_orchestrator.domain.judging.outcome import ExecutorClaim
from pm_orchestrator.domain.record import Record
from pm_orchestrator.domain.tasks.task import SubTask, TaskType


class Assignment(Record, frozen=True, kw_only=True):
    """One attempt at one sub-task."""

    run_id: str
    task_id: str
    sub_task: SubTask
    branch: str
    start: str
    """The tree the attempt begins from: the base, or what the last attempt left."""
    attempt: int
    feedback: str
    """Why the last attempt was refused; empty the first time."""
    goes_on: bool = False
    """The attempt before was ended before it said that it was done."""
    model: str | None
    max_turns: int
    task_type: TaskType = TaskType.IMPLEMENTATION
    gates: tuple[str, ...] = ()
    """The commands it will be judged by."""
    answers: bool = False
    """A text is the product: nothing that is written counts."""

    @property
    def agent(self) -> str:
        """The name under which the attempt is metered and replayed."""
        return f"worker/{self.sub_task.sub_id}/{self.attempt}"

    def rescue_ref(self, name: str) -> str:
        """Where something is kept that the attempt made and did not deliver."""
        return f"refs/pm/rescue/{self.run_id}/{self.sub_task.sub_id}/{name}"


class AttemptResult(Record, frozen=True, kw_only=True):
    """What an attempt ended with: a claim, and where to look."""

    ticket: str
    attempt: int
    worker: str
    claim: ExecutorClaim
    commit: str | None = None
    """The commit the host has received; None where no branch moved."""
    rescue_refs: tuple[str, ...] = ()
    """Where everything was saved that the branch does not hold: uncommitted work, stashes,
    other branches, a detached HEAD."""
    conversation: str = ""
    """Path of the transcript, relative to the run directory."""
    unenforced_limits: tuple[str, ...] = ()
    question: str | None = None
    """What it needs to know before it can go on."""
    denied_calls: tuple[str, ...] = ()
    """What it wanted to do and may not, one line for each call."""
    out_of_budget: bool = False
    """The Runner stopped it, because its time was over."""
    characters: int = 0
    """Of everything sent to it and received from it."""
    seconds: int = 0


NOBODY = "runner"
"""Who did an attempt that needed nobody: the Runner runs a check itself."""


def not_called(assignment: Assignment) -> AttemptResult:
    """The end of an attempt for which no executor is needed."""
    claim = ExecutorClaim(kind="finished", summary="no executor was needed; the Runner ran it")
    return AttemptResult(
        ticket=assignment.sub_task.ticket,
        attempt=assignment.attempt,
        worker=NOBODY,
        claim=claim,
    )
