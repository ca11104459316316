"""Work on its way to a worker, and what comes back."""

from pm_orchestrator.domain.outcome import ExecutorClaim
from pm_orchestrator.domain.record import Record
from pm_orchestrator.domain.task import SubTask


class Assignment(Record, frozen=True, kw_only=True):
    """One attempt at one sub-task."""

    run_id: str
    task_id: str
    sub_task: SubTask
    branch: str
    start: str
    """The commit the attempt begins from: the base, or what the last attempt left."""
    attempt: int
    feedback: str
    """Why the last attempt was refused; empty the first time."""
    model: str
    max_turns: int

    @property
    def agent(self) -> str:
        """The name under which the attempt is metered and replayed."""
        return f"worker/{self.sub_task.sub_id}/{self.attempt}"


class AttemptResult(Record, frozen=True, kw_only=True):
    """What a worker hands back: a claim, and a commit the host has received."""

    ticket: str
    attempt: int
    worker: str
    claim: ExecutorClaim
    commit: str | None
    """None when the branch did not move."""
    rescue_ref: str | None
    """Where uncommitted work was saved, if there was any."""
    conversation: str
    """Path of the transcript, relative to the run directory."""
    unenforced_limits: tuple[str, ...] = ()
