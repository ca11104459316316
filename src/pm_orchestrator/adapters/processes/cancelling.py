"""Finishing what must be finished although the task was cancelled."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


async def undisturbed(work: Coroutine[Any, Any, T]) -> T:
    """Await `work` to its end; cancellations that arrive meanwhile have no effect.

    For clean-up inside `except CancelledError` only: the caller raises that error
    again, so no cancellation is lost. `work` must have a bound of its own.
    """
    task = asyncio.ensure_future(work)
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError:
            continue
    return task.result()
