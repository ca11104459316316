"""The one place that prints.

Results go to stdout, everything said along the way to stderr when asked, and
all of it through the masker: a secret never reaches a screen.
"""

import os
import sys
from collections.abc import Callable
from typing import TextIO

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.text import Lang, language_of


class Screen:
    """Prints lines in one language: the one asked for, or else that of the instruction."""

    def __init__(self, lang: Lang | None, mask: Callable[[str], str]) -> None:
        self.lang: Lang = lang or "en"
        self._asked_for = lang is not None
        self.mask = mask

    def hear(self, instruction: str) -> None:
        """Answer in the language of `instruction`, where nobody has asked for another."""
        if not self._asked_for:
            self.lang = language_of(instruction)

    def line(self, text: str = "") -> None:
        """A line of result, flushed, so that a reader of the pipe sees it now."""
        _write(self.mask(text), sys.stdout)

    def prompt(self, text: str) -> None:
        """The beginning of a line that the person ends."""
        sys.stdout.write(self.mask(text))
        sys.stdout.flush()

    def raw(self, text: str) -> None:
        """Machine-readable output that was masked where it was made."""
        _write(text, sys.stdout)

    def aside(self, text: str) -> None:
        """Something that is not the result."""
        _write(self.mask(text), sys.stderr)

    def error(self, error: PmError) -> None:
        """`ERROR E1xx: what` and `HINT: how`."""
        self.aside(f"ERROR {error.code}: {error.what(self.lang)}")
        self.aside(f"HINT: {error.hint(self.lang)}")

    @staticmethod
    def is_terminal() -> bool:
        return sys.stdout.isatty()


def _write(text: str, stream: TextIO) -> None:
    try:
        print(text, file=stream, flush=True)
    except BrokenPipeError:
        # The reader has left. The work goes on, and the exit code still tells its end.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
