"""The backlog: each sub-task as a page for people, with where it stands, and as a log."""

from pathlib import Path
from typing import Literal

from pm_orchestrator.domain.naming import sub_task_file
from pm_orchestrator.domain.tasks.task import SubTask
from pm_orchestrator.ports.store import DurableFiles
from pm_orchestrator.runner.sessions.part_logs import PartLogs

TicketState = Literal["todo", "doing", "review", "done"]


class Backlog:
    """`workflows/backlog/` of a project."""

    def __init__(self, files: DurableFiles, folder: Path, logs: PartLogs | None = None) -> None:
        self._files = files
        self._folder = folder
        self.logs = logs

    async def put(self, sub_task: SubTask, state: TicketState) -> None:
        """Write the page of a sub-task, in the place of an older one."""
        name = sub_task_file(sub_task.parent_id, sub_task.sub_id)
        await self._files.replace(self._folder / name, page(sub_task, state).encode())
        if self.logs is not None and state == "todo":
            await self.logs.planned(sub_task)
        elif self.logs is not None and state == "doing":
            await self.logs.begun(sub_task)


def page(sub_task: SubTask, state: TicketState) -> str:
    """The sub-task as a page for people."""
    criteria = "\n".join(f"- {c}" for c in sub_task.acceptance_criteria)
    files = "\n".join(f"- {f}" for f in sub_task.expected_files) or "- (none named)"
    return (
        f"# {sub_task.ticket} {sub_task.title}\n\n"
        f"parent: {sub_task.parent_id}\nstatus: {state}\neffort: {sub_task.estimated_effort}\n\n"
        f"{sub_task.description}\n\n## Done means\n\n{criteria}\n\n## Expected files\n\n{files}\n"
    )
