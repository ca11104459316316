"""Lines typed while a task runs: shown, and carried out when it has ended."""

from collections import deque

from pm_orchestrator.cli.terminal.text_width import SEPARATOR
from pm_orchestrator.domain.catalogue.repl_texts import tell
from pm_orchestrator.domain.text import Lang

SHOWN = 4
"""More than a person types ahead; the rest is counted."""


class QueuedLines:
    """The oldest is the next."""

    def __init__(self) -> None:
        self._lines: deque[str] = deque()

    def __bool__(self) -> bool:
        return bool(self._lines)

    def add(self, line: str) -> None:
        """Keep it for later."""
        self._lines.append(line)

    def next(self) -> str:
        """The one whose turn it is."""
        return self._lines.popleft()

    def take_back(self) -> str | None:
        """The one typed last, to be changed or dropped."""
        return self._lines.pop() if self._lines else None

    def take_all(self) -> str:
        """All of them, as a person gets them back when the work before is stopped."""
        whole = "\n".join(self._lines)
        self._lines.clear()
        return whole

    def shown(self, lang: Lang) -> list[str]:
        """One below the other; the last says how it is taken back."""
        lines = [tell("queued_line", lang, line=" ".join(line.split())) for line in self._lines]
        if len(lines) > SHOWN:
            lines[SHOWN - 1 :] = [f"… +{len(lines) - SHOWN + 1}"]
        if lines:
            lines[-1] = f"{tell('queued_keys', lang)}{SEPARATOR}{lines[-1]}"
        return lines
