"""A person stops a task: its records are closed all the same, and what to do next is said."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class TaskInterruptedError(asyncio.CancelledError):
    """A cancellation on its way out of a task whose log is closed and whose processes are gone."""

    def __init__(self, session_id: str, task_id: str, saved_as: str | None) -> None:
        super().__init__(task_id)
        self.session_id = session_id
        self.task_id = task_id
        self.saved_as = saved_as
        """The ref with the files from before; None where the task had not got so far."""


async def to_its_end(work: Coroutine[Any, Any, T]) -> tuple[T, bool]:
    """Await `work` to its end, and say whether a cancellation came meanwhile.

    For records that may not be left half written. The caller raises the cancellation
    again; `work` must have a bound of its own.
    """
    task = asyncio.ensure_future(work)
    cut = False
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError:
            cut = True
    return task.result(), cut
