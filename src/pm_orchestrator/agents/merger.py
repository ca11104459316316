"""The merger: brings accepted branches together, one at a time.

It never touches main or master, and it decides nothing: a merge that breaks the
gates is taken out again by the run, which simply does not move the branch.
"""

from collections.abc import Awaitable, Callable

from pm_orchestrator.domain.naming import commit_message
from pm_orchestrator.domain.tasks.task import SubTask
from pm_orchestrator.ports.repository import MergeResult, Repository

Log = Callable[[str], Awaitable[None]]


class Merger:
    """Merges without a working tree, in the run's own repository."""

    def __init__(self, repository: Repository, log: Log) -> None:
        self._repository = repository
        self._log = log

    async def merge(self, into: str, commit: str, sub_task: SubTask) -> MergeResult:
        """Try to merge one sub-task's commit; `into` itself stays as it is."""
        message = commit_message(sub_task.ticket, f"merge: {sub_task.title}")
        result = await self._repository.merge(into, commit, message)
        if result.commit is None:
            await self._log(f"{sub_task.ticket} conflicts in {', '.join(result.conflicts)}")
        else:
            await self._log(f"{sub_task.ticket} {commit[:12]} -> {result.commit[:12]}")
        return result
