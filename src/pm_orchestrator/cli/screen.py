"""The one place that prints.

Results go to stdout, everything said along the way to stderr when asked, and
all of it through the masker: a secret never reaches a screen.
"""

import sys
from collections.abc import Callable

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.text import Lang


class Screen:
    """Prints lines in one language."""

    def __init__(self, lang: Lang, mask: Callable[[str], str]) -> None:
        self.lang: Lang = lang
        self._mask = mask

    def line(self, text: str = "") -> None:
        """A line of result, flushed, so that a reader of the pipe sees it now."""
        print(self._mask(text), flush=True)

    def raw(self, text: str) -> None:
        """Machine-readable output that was masked where it was made."""
        print(text, flush=True)

    def aside(self, text: str) -> None:
        """Something that is not the result."""
        print(self._mask(text), file=sys.stderr, flush=True)

    def error(self, error: PmError) -> None:
        """`ERROR E1xx: what` and `HINT: how`."""
        self.aside(f"ERROR {error.code}: {error.what(self.lang)}")
        self.aside(f"HINT: {error.hint(self.lang)}")

    @staticmethod
    def is_terminal() -> bool:
        return sys.stdout.isatty()
