"""One run of a task, and how the task is worked on.

The way stands in the task's record from its first moment. Whatever goes on with a task (an
answer, an approval, a resumed run) reads it there, so that nothing changes it on the way.
"""

from pathlib import Path
from typing import Literal

from msgspec import UNSET

from pm_orchestrator.domain.history.log_contents import TaskStarted, contents
from pm_orchestrator.domain.history.session import RunTrigger
from pm_orchestrator.domain.history.task_log import TaskLog
from pm_orchestrator.domain.tasks.run_ids import RunIds
from pm_orchestrator.runner.layout import ProjectPaths, RunDirectory

Way = Literal["solo", "company"]


class TaskRun(RunIds, frozen=True, kw_only=True):
    """Everything its records need to know of it."""

    thread_id: str
    prompt: str
    root: Path
    executor: str
    """Empty where no executor is called."""
    way: Way = "solo"
    adapter: str | None = None
    """The model API that was named for this task alone."""
    model: str | None = None
    """What it calls its model."""
    trigger: RunTrigger = RunTrigger.USER_INPUT
    """Anything else means that an ended task goes on under its id."""
    answer: str | None = None
    """What the user answered to the task's question."""
    before: str | None = None
    """The task that ended last when this one is left out."""


def way_of(log: TaskLog, root: Path) -> Way:
    """The way a task is worked on."""
    for started in contents(log.events, TaskStarted):
        if started.way is not UNSET:
            return started.way
    # A task from before the record said so: only a company keeps a journal.
    return way_of_run(ProjectPaths(root), log.run_id)


def named_for(log: TaskLog) -> tuple[str | None, str | None]:
    """The model API and the model that were named when the task began."""
    for started in contents(log.events, TaskStarted):
        if started.adapter is not UNSET:
            return started.adapter, None if started.model is UNSET else started.model
    return None, None


def way_of_run(paths: ProjectPaths, run_id: str) -> Way:
    """The way a run was worked on, by what lies in its directory."""
    return "company" if RunDirectory(paths.runs / run_id).has_journal() else "solo"
