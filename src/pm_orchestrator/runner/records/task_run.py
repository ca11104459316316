"""A task that is about to begin, or to go on."""

from pathlib import Path

import msgspec

from pm_orchestrator.domain.history.session import RunTrigger
from pm_orchestrator.runner.records.ways import Way


class TaskRun(msgspec.Struct, frozen=True, kw_only=True):
    """Everything its records need to know of it."""

    session_id: str
    task_id: str
    thread_id: str
    run_id: str
    prompt: str
    root: Path
    executor: str
    """Empty where no executor is called."""
    way: Way = "solo"
    trigger: RunTrigger = RunTrigger.USER_INPUT
    """Anything else means that an ended task goes on under its id."""
    answer: str | None = None
    """What the user answered to the task's question."""
    before: str | None = None
    """The task that ended last when this one is left out."""
