"""Which tasks have begun and not ended: what a start after a crash needs to know.

A task is noted before anything else is written about it and taken off after
everything else, so whatever a crash leaves behind belongs to a task noted here.
"""

from collections.abc import Callable
from pathlib import Path

from pm_orchestrator.domain.history.session import UnfinishedTask, UnfinishedTasks
from pm_orchestrator.domain.record import from_json, to_file
from pm_orchestrator.ports.store import DurableFiles
from pm_orchestrator.runner.records.repl_states import ReplStates

ROOM = 1024 * 1024
"""Enough for the last records of a task: its log a second time, indexes, a report."""
Tasks = tuple[UnfinishedTask, ...]


class TaskLedger:
    """`unfinished.json` of a project, and the running task of `repl.json` beside it.

    `repl` is None for work that does not run in the project directory: only one task
    at a time can be the running one.
    """

    def __init__(self, files: DurableFiles, path: Path, repl: ReplStates | None) -> None:
        self._files = files
        self._path = path
        self._repl = repl

    def unfinished(self) -> Tasks:
        """Tasks that have begun and not ended, their owners living or dead."""
        try:
            data = self._files.read(self._path)
        except FileNotFoundError:
            return ()
        return from_json(UnfinishedTasks, data, str(self._path)).tasks

    async def announce(self, task: UnfinishedTask) -> None:
        """Note a task that is about to begin.

        Raises:
            PmError: E105 when `repl.json` cannot be read, E902 when the disk has no room for
                its records; nothing has begun then.
        """
        if self._repl is not None:
            self._repl.read()
        await self._files.keep_room(self._room(task.task_id), ROOM)
        await self._change(lambda tasks: (*tasks, task))

    async def started(self, task_id: str) -> None:
        if self._repl is not None:
            await self._repl.started(task_id)

    async def reopened(self, task_id: str, before: str | None) -> None:
        if self._repl is not None:
            await self._repl.reopened(task_id, before)

    async def make_room(self, task_id: str) -> None:
        """The task is going to be closed: even where it filled the disk, that can be written."""
        await self._files.remove([self._room(task_id)])

    def _room(self, task_id: str) -> Path:
        return self._path.with_name(f"{task_id}.room")

    async def ended(self, task_id: str) -> None:
        """The task has reached its end; its log says so already."""
        if self._repl is not None:
            await self._repl.ended(task_id)

    async def forget(self, task_id: str) -> None:
        """Nothing is left to do for the task."""
        await self._change(lambda tasks: tuple(t for t in tasks if t.task_id != task_id))

    async def _change(self, change: Callable[[Tasks], Tasks]) -> None:
        async with self._files.exclusive(self._path):
            new = change(self.unfinished())
            await self._files.replace(self._path, to_file(UnfinishedTasks(tasks=new)))
