"""Reading from the person at the terminal, who may also press Ctrl-C there.

A blocking read stops the event loop, and with it the loop's own handling of signals. So
while one waits, a signal ends the read; everywhere else it cancels the work.
"""

import asyncio
import signal
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import TextIO

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def is_attended() -> bool:
    """Whether somebody sits there who sees a question and can answer it."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def read_line(stream: TextIO) -> str:
    """One line; empty at the end of the input.

    Raises:
        asyncio.CancelledError: a signal came while it waited.
    """
    try:
        with _signals_raise():
            return stream.readline()
    except KeyboardInterrupt:
        raise asyncio.CancelledError from None


@contextmanager
def _signals_raise() -> Generator[None]:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    # The loop must not hear of it as well: it would cancel the cleaning up.
    wakeup = signal.set_wakeup_fd(-1)
    before = {number: signal.getsignal(number) for number in SIGNALS}
    ours = {n: handler for n, handler in before.items() if handler not in {signal.SIG_IGN, None}}
    try:
        for number in ours:
            signal.signal(number, stop)
        yield
    finally:
        for number, handler in ours.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(wakeup, warn_on_full_buffer=False)
