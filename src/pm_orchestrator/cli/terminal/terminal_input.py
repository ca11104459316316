"""Reading from the person at the terminal, who may also press Ctrl-C there.

A blocking read would stop the event loop, and with it the loop's handling of signals: one
that comes just before the read would never be heard.
"""

import asyncio
import os
import sys

CHUNK = 64 * 1024


def is_attended() -> bool:
    """Whether somebody sits there who sees a question and can answer it."""
    return sys.stdin.isatty() and sys.stdout.isatty()


async def read_line(handle: int) -> str:
    """One line from a terminal or a pipe; empty at the end of the input."""
    data = b""
    while not data.endswith(b"\n"):
        await _readable(handle)
        chunk = os.read(handle, CHUNK)
        if not chunk:
            break
        data += chunk
    return data.decode("utf-8", "replace")


async def _readable(handle: int) -> None:
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    loop.add_reader(handle, ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(handle)
