"""What a Runner that died in the middle of a task has left in the project directory."""

from collections.abc import Awaitable, Callable

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.task_log import TaskLog
from pm_orchestrator.domain.ids import iso
from pm_orchestrator.domain.judging.outcome import LISTED_CHANGES, listed
from pm_orchestrator.evidence.records.open_log import Closing
from pm_orchestrator.runner.places.since_saved import SinceSaved
from pm_orchestrator.runner.project.project import Project
from pm_orchestrator.runner.records.left_work import left_work


def left_in_directory(project: Project) -> Callable[[TaskLog], Awaitable[Closing | None]]:
    """Sees what differs from the tree that was saved before the task."""

    async def left(log: TaskLog) -> Closing | None:
        watched = project.watched(project.paths.run(log.run_id))
        root = project.paths.root
        since = SinceSaved(root, watched.workspace, watched.rescue, watched.saved_files)
        try:
            first = await since.first(log.task_id)
            if first is None:
                return None
            changes = await since.changes(first, f"{log.run_id}/{log.task_id}")
        except (PmError, OSError):
            # The task has to be closed, whatever can be seen of it.
            return None
        if not changes:
            return None
        more = max(0, len(changes) - LISTED_CHANGES)
        return left_work(listed(changes, ()), iso(project.clock.now()), unlisted=more)

    return left
