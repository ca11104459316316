"""Reading a line on a terminal that cannot draw: the terminal's own editing, and nothing else."""

import asyncio
import os
import sys
from typing import Protocol

from prompt_toolkit.formatted_text import StyleAndTextTuples
from typing_extensions import override

from pm_orchestrator.cli.terminal.screen import Screen

LEAVE = "/exit"
LONGEST = 64 * 1024


class InputLine(Protocol):
    """One line of input, read again and again."""

    async def read(self, message: StyleAndTextTuples) -> str | None:
        """What was typed; None when the line was closed to make room for something else.

        Ctrl-D on an empty line is `/exit`.
        """
        ...

    @property
    def text(self) -> str:
        """What stands in the line now."""
        ...

    def clear(self) -> None:
        """Take away what was typed; the history has it no more than the screen."""
        ...

    def close(self, *, keep: bool = True) -> None:
        """Make room; what was typed comes back with the next `read`, if it is to be kept."""
        ...

    def fill(self, text: str) -> None:
        """Put a line there, to be sent, changed or dropped."""
        ...

    def offer(self, line: str) -> None:
        """Show a line that Enter sends as it is; whatever is typed takes its place."""
        ...

    def redraw(self) -> None:
        """Something that is shown has changed."""
        ...


class PlainLine(InputLine):
    """Lines as the terminal hands them over, without blocking the loop."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._reading: asyncio.Future[bytes | None] | None = None

    @override
    async def read(self, message: StyleAndTextTuples) -> str | None:
        self._screen.prompt("".join(fragment[1] for fragment in message))
        loop, handle = asyncio.get_running_loop(), sys.stdin.fileno()
        self._reading = reading = loop.create_future()

        def take() -> None:
            if not reading.done():
                # A terminal gives one line at a time.
                reading.set_result(os.read(handle, LONGEST))

        loop.add_reader(handle, take)
        try:
            data = await reading
        finally:
            loop.remove_reader(handle)
        if data is None:
            return None
        return data.decode(errors="replace") if data else LEAVE

    @property
    @override
    def text(self) -> str:
        return ""

    @override
    def clear(self) -> None:
        """The terminal does that itself."""

    @override
    def close(self, *, keep: bool = True) -> None:
        if self._reading is not None and not self._reading.done():
            self._reading.set_result(None)

    @override
    def fill(self, text: str) -> None:
        """What the terminal edits by itself nobody else can fill."""

    @override
    def offer(self, line: str) -> None:
        """The answer names it."""

    @override
    def redraw(self) -> None:
        """What was printed stays as it is."""
