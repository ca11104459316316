"""The program on a terminal that draws: what a person sees, line by line."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Mapping
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import pyte
from typing_extensions import override

COLUMNS, LINES = 80, 24
# SIGINT as a terminal's foreground process has it, however the tests were started.
START = (
    "import runpy, signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "sys.argv[0] = 'pm-orchestrator'; runpy.run_module('pm_orchestrator', run_name='__main__')"
)
# What differs from run to run, with something as wide in its place.
VARYING = (
    (re.compile(r"session-\d{8}-[0-9a-f]{8}"), "session-00000000-00000000"),
    (re.compile(r"task-\d{13}"), "task-0000000000000"),
    (re.compile(r"(run|thread|thr)[-_][0-9a-z-]+"), r"\1-0"),
    (re.compile(r"\bev-[0-9a-f]{16}"), "ev-0000000000000000"),
    (re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"), "0000-00-00 00:00:00"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d"), "0000-00-00T00:00:00"),
    (re.compile(r"\b\d\d:\d\d:\d\d\b"), "00:00:00"),
    (re.compile(r"\b\d+\.\d (?=[s秒]$)"), "0.0 "),
    (re.compile(r"(?<=Spent: )\d+ s, |(?<=使用量: )\d+ 秒、"), ""),
    (re.compile(r"\| \d+\.\d+s +\|"), "| 0.0s     |"),
    (re.compile(r"^[|/\\-] \d+ s"), "* 0 s"),
)


class Paint(NamedTuple):
    """How a piece of a line is drawn; the name of a colour, or `default`."""

    colour: str
    bold: bool
    reverse: bool


def _paint(cell: pyte.screens.Char) -> Paint:
    return Paint(cell.fg, cell.bold, cell.reverse)


class _Screen(pyte.Screen):
    """Answers where the cursor is, as a terminal does."""

    def __init__(self, columns: int, lines: int, answer: Callable[[bytes], object]) -> None:
        super().__init__(columns, lines)
        self._answer = answer

    @override
    def write_process_input(self, data: str) -> None:
        self._answer(data.encode())


class DrawnTerminal:
    """One call on a pseudo-terminal; a context manager that leaves nothing running."""

    def __init__(
        self,
        cwd: Path,
        environment: Mapping[str, str],
        *arguments: str,
        term: str = "xterm",
        columns: int = COLUMNS,
        lines: int = LINES,
    ) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        self._screen = _Screen(columns, lines, lambda data: os.write(self._master, data))
        self._stream = pyte.ByteStream(self._screen)
        self.raw = b""
        self._process = subprocess.Popen(
            [sys.executable, "-c", START, *arguments],
            cwd=cwd,
            env={**environment, "TERM": term},
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            # Only the terminal of its own session sends it Ctrl-C.
            preexec_fn=lambda: fcntl.ioctl(slave, termios.TIOCSCTTY, 0),
        )
        os.close(slave)
        self._is_open = True

    def __enter__(self) -> "DrawnTerminal":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        self.hang_up()

    def hang_up(self) -> None:
        """Close the window while the program runs in it."""
        if self._is_open:
            self._is_open = False
            os.close(self._master)

    def interrupt(self, number: int) -> None:
        """Send a signal."""
        self._process.send_signal(number)

    @property
    def lines(self) -> list[str]:
        """The screen as it is now, without the spaces at the end of its lines."""
        return [line.rstrip() for line in self._screen.display]

    @property
    def text(self) -> str:
        """The screen as one text."""
        return "\n".join(self.lines).rstrip()

    @property
    def painted_lines(self) -> list[list[tuple[str, Paint]]]:
        """The screen in pieces of one paint each, down to the last line that shows something."""
        rows = [self._screen.buffer[number] for number in range(self._screen.lines)]
        lines = [
            [
                ("".join(cell.data for cell in cells), paint)
                for paint, cells in groupby((row[at] for at in range(self._screen.columns)), _paint)
            ]
            for row in rows
        ]
        while lines and not "".join(text for text, _ in lines[-1]).strip():
            lines.pop()
        return lines

    def type(self, keys: str) -> None:
        """What a person presses, control characters included."""
        os.write(self._master, keys.encode())

    def wait_for(self, words: str, seconds: float = 20.0) -> None:
        """Until `words` stand on the screen."""
        self.wait_until(lambda: words in self.text, seconds)

    def wait_until(self, holds: Callable[[], bool], seconds: float = 20.0) -> None:
        """Until something holds, of the screen or of the world."""
        end = time.monotonic() + seconds
        while not holds():
            assert time.monotonic() < end, self.text
            assert self._read() or holds(), self.text
        self._settle()

    def ended(self, seconds: float = 20.0) -> int:
        """Read to the end; the exit code."""
        end = time.monotonic() + seconds
        while self._is_open and self._read():
            assert time.monotonic() < end, self.text
        return self._process.wait(timeout=seconds)

    def snapshot(self) -> str:
        """The screen with everything replaced that differs from run to run."""
        text = self.text
        for pattern, instead in VARYING:
            text = "\n".join(pattern.sub(instead, line) for line in text.split("\n"))
        return text + "\n"

    def _settle(self) -> None:
        """Let a drawing that has begun come to its end."""
        while select.select([self._master], [], [], 0.05)[0] and self._read():
            pass

    def _read(self) -> bool:
        if not select.select([self._master], [], [], 0.1)[0]:
            return True
        try:
            data = os.read(self._master, 65536)
        except OSError:
            # Linux says so when the last one that held the other end is gone.
            return False
        self.raw += data
        self._stream.feed(data)
        return bool(data)
