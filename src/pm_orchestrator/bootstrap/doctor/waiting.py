"""Work that blocks, done beside the event loop and left behind if it hangs."""

import asyncio
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


async def in_own_thread(work: Callable[[], T]) -> T:
    """Do `work` in a thread that keeps nobody from leaving.

    The loop's own threads are waited for at the end of the program; a check that hangs on
    a dead disk would hold it for ever.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def report(result: T | None, error: BaseException | None) -> None:
        if done.done():
            return
        if error is not None:
            done.set_exception(error)
        else:
            done.set_result(result)  # pyright: ignore[reportArgumentType]

    def run() -> None:
        result: T | None = None
        error: BaseException | None = None
        try:
            result = work()
        except BaseException as raised:  # noqa: BLE001 - it is raised again where it is awaited
            error = raised
        if not loop.is_closed():
            loop.call_soon_threadsafe(report, result, error)

    threading.Thread(target=run, daemon=True).start()
    return await done
