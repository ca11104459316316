"""What the executor says and does, streaming by above the input line; one key folds it.

Folded, the line below the input tells the latest of it. Unfolded again, what was missed is told.
"""

import shutil
from collections import deque

from typing_extensions import override

from pm_orchestrator.cli.terminal.heard_lines import heard_lines
from pm_orchestrator.cli.terminal.live_line import LiveLine
from pm_orchestrator.cli.terminal.paint import Paint
from pm_orchestrator.cli.terminal.progress import Progress
from pm_orchestrator.cli.terminal.screen import Screen
from pm_orchestrator.domain.history.heard import Heard
from pm_orchestrator.domain.history.run_events import HeardEvent, RunEvent

KEPT = 200
"""Pieces that are told when it is unfolded; more would bury what comes now."""


class HeardStream(Progress):
    """Passes everything on to the line, and prints what is heard."""

    def __init__(self, screen: Screen, line: LiveLine) -> None:
        self._screen = screen
        self._line = line
        self._missed: deque[Heard] = deque(maxlen=KEPT)
        self.folded = False

    @override
    def __enter__(self) -> "HeardStream":
        self._missed.clear()
        self._line.__enter__()
        return self

    @override
    def __exit__(self, *_: object) -> None:
        self._line.__exit__()

    @override
    def show(self, event: RunEvent) -> None:
        self._line.show(event)
        if isinstance(event, HeardEvent):
            self._missed.append(event.detail)
            if not self.folded:
                self._tell()

    def fold(self) -> None:
        """Fold it, or unfold it again."""
        self.folded = not self.folded
        if not self.folded:
            self._tell()

    def _tell(self) -> None:
        columns = shutil.get_terminal_size().columns
        while self._missed:
            lines = heard_lines(self._missed.popleft(), columns)
            self._screen.page("\n".join(lines), lambda _: Paint.DIM)
