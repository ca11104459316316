"""The program on a terminal of its own, with somebody who reads and types."""

import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path


class Terminal:
    """One call on a pseudo-terminal; a context manager that leaves nothing running."""

    def __init__(self, cwd: Path, environment: Mapping[str, str], *arguments: str) -> None:
        self._master, slave = pty.openpty()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "pm_orchestrator", *arguments],
            cwd=cwd,
            env={**environment, "TERM": "xterm"},
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
        )
        os.close(slave)
        self.text = ""
        self._seen = 0

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._master)

    def wait_for(self, words: str, seconds: float = 20.0) -> None:
        """Read until the screen has shown `words`, after what was waited for before."""
        end = time.monotonic() + seconds
        while (found := self.text.find(words, self._seen)) < 0:
            assert time.monotonic() < end, self.text
            assert self._read(), self.text
        self._seen = found + len(words)

    def type(self, text: str) -> None:
        """What a person types; a line feed is Enter, the character 4 is Ctrl-D."""
        os.write(self._master, text.encode())

    def interrupt(self, number: int) -> None:
        """Send a signal, as Ctrl-C would."""
        self._process.send_signal(number)

    def ended(self, seconds: float = 20.0) -> int:
        """Read to the end; the exit code."""
        end = time.monotonic() + seconds
        while self._read():
            assert time.monotonic() < end, self.text
        return self._process.wait(timeout=seconds)

    def _read(self) -> bool:
        ready, _, _ = select.select([self._master], [], [], 0.2)
        if not ready:
            return True
        try:
            data = os.read(self._master, 65536)
        except OSError:
            # Linux says so when the last one that held the other end is gone.
            return False
        self.text += data.decode("utf-8", "replace")
        return bool(data)
