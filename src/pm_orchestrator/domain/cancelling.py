"""Finishing what must be finished although the task was cancelled."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


async def to_its_end(work: Coroutine[Any, Any, T]) -> tuple[T, bool]:
    """Await `work` to its end, and say whether a cancellation came meanwhile.

    For what may not be left half done. The caller raises the cancellation again;
    `work` must have a bound of its own.
    """
    task = asyncio.ensure_future(work)
    cut = False
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError:
            cut = True
    return task.result(), cut


async def undisturbed(work: Coroutine[Any, Any, T]) -> T:
    """Await `work` to its end; cancellations that arrive meanwhile have no effect.

    For clean-up inside `except CancelledError` only: the caller raises that error
    again, so no cancellation is lost. `work` must have a bound of its own.
    """
    result, _ = await to_its_end(work)
    return result


def is_being_stopped() -> bool:
    """Whether a cancellation came to this task, whatever was raised in its place."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
