"""Lines of a script, one at a time: the next is read when the one before is done.

The event loop keeps running meanwhile, so that Ctrl-C works while we wait for a pipe.
"""

import asyncio
import os

from pm_orchestrator.domain.errors import PmError

CHUNK = 64 * 1024
LONGEST_LINE = 8 * 1024 * 1024
POLL_S = 0.2


class InputLines:
    """The lines of a file descriptor; `follow` waits for more at its end."""

    def __init__(self, handle: int, *, follow: bool = False) -> None:
        self._handle = handle
        self._follow = follow
        self._buffer = bytearray()
        self._searched = 0
        self._at_end = False
        self.waited = False
        """Whether the end was met and more is being waited for."""

    async def next(self) -> str | None:
        """The next line that says something, without its end; None when there is no more.

        Raises:
            PmError: E210 for a line that is too long or is no text; the one after it is next.
        """
        while (line := await self._line()) is not None:
            text = _text(line).strip()
            if text:
                return text
        return None

    async def _line(self) -> bytes | None:
        too_long = False
        while True:
            end = self._buffer.find(b"\n", self._searched)
            if end >= 0 or (self._at_end and self._buffer):
                line = self._take(end if end >= 0 else len(self._buffer))
                if too_long:
                    raise PmError("line_too_long", limit=LONGEST_LINE)
                return line
            if self._at_end:
                return None
            self._searched = len(self._buffer)
            if self._searched > LONGEST_LINE:
                too_long = True
                self._take(self._searched)
            await self._read_more()

    def _take(self, end: int) -> bytes:
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        self._searched = 0
        return line

    async def _read_more(self) -> None:
        await self._readable()
        chunk = os.read(self._handle, CHUNK)
        if chunk:
            self._buffer += chunk
        elif self._follow:
            self.waited = True
            await asyncio.sleep(POLL_S)
        else:
            self._at_end = True

    async def _readable(self) -> None:
        loop = asyncio.get_running_loop()
        ready = asyncio.Event()
        try:
            loop.add_reader(self._handle, ready.set)
        except PermissionError:
            return  # A plain file is always ready.
        try:
            await ready.wait()
        finally:
            loop.remove_reader(self._handle)


def _text(line: bytes) -> str:
    try:
        return line.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise PmError("line_not_text", reason=f"byte {error.start + 1} is no UTF-8") from None
