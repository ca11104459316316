"""The one place that prints.

Results go to stdout, everything said along the way to stderr when asked, and
all of it through the masker: a secret never reaches a screen.
"""

import os
import sys
from collections.abc import Mapping
from typing import TextIO

from pm_orchestrator.cli.terminal.paint import PaintOf, no_paint, painter
from pm_orchestrator.cli.terminal.spelling import Spelling
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.record import to_file, to_json
from pm_orchestrator.domain.text import Lang, language_of
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.evidence.masking.redaction import redact_json

USUAL_COLUMNS = 80


class Screen:
    """Prints lines in one language: the one asked for, or else that of the instruction."""

    def __init__(
        self, lang: Lang | None, masker: Masker, variables: Mapping[str, str] | None = None
    ) -> None:
        """`variables` are the environment, which says what the terminal can show."""
        self.lang: Lang = lang or "en"
        self._variables = variables or {}
        self._asked_for = lang is not None
        self._masker = masker
        self.spelling = Spelling()
        """How the reader types the commands that are named here."""
        self.gave_data = False
        """Whether a program that reads has been told."""

    def mask(self, text: str) -> str:
        """As it is printed, for who draws on the terminal himself."""
        return self._masker.mask(text).text

    def hear(self, instruction: str) -> None:
        """Answer in the language of `instruction`, where nobody has asked for another."""
        if not self._asked_for:
            self.lang = language_of(instruction)

    def line(self, text: str = "") -> None:
        """A line of result, flushed, so that a reader of the pipe sees it now."""
        self.page(text, no_paint)

    def page(self, text: str, paint_of: PaintOf, *, wraps: bool = True) -> None:
        """Lines of result, set off by `paint_of` where a terminal shows them.

        There they are also broken between words, unless they are another program's own.
        """
        # Masked as a whole and before: a secret may go over lines, and paint has letters in it.
        masked = self.mask(text)
        if self.is_terminal():
            masked = self._on_terminal(masked, paint_of, sys.stdout, wraps=wraps)
        _write(masked, sys.stdout)

    def _on_terminal(self, text: str, paint_of: PaintOf, stream: TextIO, *, wraps: bool) -> str:
        from pm_orchestrator.cli.terminal.text_width import hanging

        width, paint_text = _columns(stream), painter(self._variables)
        lines: list[str] = []
        for line in text.split("\n"):
            paint = paint_of(line)
            pieces = hanging(line, width) if wraps else [line]
            lines += [paint_text(piece, paint) for piece in pieces]
        return "\n".join(lines)

    def prompt(self, text: str) -> None:
        """The beginning of a line that the person ends."""
        sys.stdout.write(self.mask(text))
        sys.stdout.flush()

    def data(self, data: object) -> None:
        """Output for programs: each string in it is masked, so that it stays what it is."""
        self.gave_data = True
        _write(redact_json(to_file(data), self._masker).decode().rstrip(), sys.stdout)

    def row(self, data: object) -> None:
        """The same on one line, where more may come."""
        self.gave_data = True
        _write(redact_json(to_json(data), self._masker).decode(), sys.stdout)

    def own(self, text: str) -> None:
        """Text of ours, with nothing from outside in it: a masker would take it for a secret."""
        _write(text, sys.stdout)

    def aside(self, text: str) -> None:
        """Something that is not the result."""
        masked = self.mask(text)
        if sys.stderr.isatty():
            masked = self._on_terminal(masked, no_paint, sys.stderr, wraps=True)
        _write(masked, sys.stderr)

    def error(self, error: PmError) -> None:
        """`ERROR E1xx: what` and `HINT: how`."""
        self.aside(f"ERROR {error.code}: {error.what(self.lang)}")
        self.aside(f"HINT: {self.spelling.of(error.hint(self.lang))}")

    def width(self) -> int | None:
        """Its columns; a pipe has none."""
        return _columns(sys.stdout) if self.is_terminal() else None

    @staticmethod
    def is_terminal() -> bool:
        return sys.stdout.isatty()


def _columns(stream: TextIO) -> int:
    """How wide a terminal is; what it does not say, nearly all of them are."""
    try:
        return os.get_terminal_size(stream.fileno()).columns or USUAL_COLUMNS
    except (OSError, ValueError):
        return USUAL_COLUMNS


def _write(text: str, stream: TextIO) -> None:
    try:
        print(text, file=stream, flush=True)
    except BrokenPipeError:
        # The reader has left. The work goes on, and the exit code still tells its end.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
