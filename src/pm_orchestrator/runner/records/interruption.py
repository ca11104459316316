"""A person stops a task: its records are closed all the same, and what to do next is said."""

import asyncio

from typing_extensions import override

from pm_orchestrator.domain.catalogue.messages import say
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.text import Lang
from pm_orchestrator.runner.records.task_run import TaskRun


class TaskInterruptedError(asyncio.CancelledError):
    """A cancellation on its way out of a task whose log is closed and whose processes are gone."""

    def __init__(self, task: TaskRun, kept: tuple[str, ...], done: tuple[str, ...] = ()) -> None:
        super().__init__(task.task_id)
        self.session_id = task.session_id
        self.task_id = task.task_id
        self.run_id = task.run_id
        self.way = task.way
        self.kept = kept
        """Refs that hold what was made, or what was there before; none where it began nothing."""
        self.done = done
        """Sub-tasks that were proved before."""


class StoppedRunError(PmError):
    """What stopped a run that can be taken up again, with the command for it."""

    def __init__(self, why: PmError, run_id: str) -> None:
        super().__init__(why.slug, **why.params)
        self.next_step = why.next_step
        self._run_id = run_id

    @override
    def hint(self, lang: Lang = "en") -> str:
        if self.next_step == "allow":
            # More is allowed with the very command that goes on.
            return super().hint(lang)
        return f"{super().hint(lang)} {say('resume_later', lang, run=self._run_id)}"
