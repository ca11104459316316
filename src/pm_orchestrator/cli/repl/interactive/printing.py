"""Printing while a line is being typed: what is said appears above it, the line stays below."""

import asyncio
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import TextIO, cast

from prompt_toolkit.patch_stdout import StdoutProxy

BUNDLED_S = 0.02
"""Lines that come closer together are drawn at once."""


@asynccontextmanager
async def printing_above(*, plain: bool) -> AsyncGenerator[None]:
    """Everything printed goes above the input line; on a plain terminal nothing is needed."""
    if plain:
        yield
        return
    proxy = StdoutProxy(sleep_between_writes=BUNDLED_S, raw=True)
    before = sys.stdout, sys.stderr
    sys.stdout = sys.stderr = cast("TextIO", proxy)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before
        # In a thread, so that the loop can draw the last lines meanwhile.
        await asyncio.to_thread(proxy.close)
        await asyncio.sleep(0)
