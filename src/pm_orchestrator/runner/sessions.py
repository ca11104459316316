"""Sessions, and the tasks that begin in them."""

from pathlib import Path

from pm_orchestrator.domain import ids
from pm_orchestrator.evidence.task_log import TaskLogBook
from pm_orchestrator.ports.clock import Clock, IdSource
from pm_orchestrator.runner.task_life import NewTask

BACKGROUND_THREAD = ids.numbered("thr", 2)
"""Executor work; the conversation itself is in the main thread, `thr_001`."""


class Sessions:
    """The sessions of one project."""

    def __init__(self, book: TaskLogBook, clock: Clock, ids: IdSource, root: Path) -> None:
        self._book = book
        self._clock = clock
        self._ids = ids
        self._root = root

    async def start(self) -> str:
        """Begin a session; it is the current one from now on."""
        session_id = ids.session_id(self._clock.now(), self._ids.token(8))
        await self._book.start_session(session_id)
        return session_id

    def new_task(self, session_id: str, run_id: str, prompt: str, executor: str) -> NewTask:
        """A task in the session, with an id no other task of it has."""
        taken = {entry.external_task_id for entry in self._book.entries(session_id)}
        return NewTask(
            session_id=session_id,
            task_id=ids.external_task_id(self._clock.now(), taken),
            thread_id=BACKGROUND_THREAD,
            run_id=run_id,
            prompt=prompt,
            root=self._root,
            executor=executor,
        )
