"""Watching an executor: when it has stopped getting anywhere, and why.

Pure: whoever owns the process says what it saw and when, and asks for a verdict.
A prompt is the last non-empty line of the child's own terminal text, finished or
not, that looks like one and is followed by silence from a live process. What
stands in the protocol's events is no terminal text, so a question in prose ends
nothing. Any event is progress, and the silence clock stands still while a tool
call of the agent is open.
"""

import re
from collections.abc import Callable, Iterable
from typing import Literal

from pm_orchestrator.domain.history.task_log import BlockedReason, TerminatedBy
from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.domain.record import Record
from pm_orchestrator.domain.text import cut_between_words

PROMPT_SILENCE_S = 2.0
"""How long a line that looks like a prompt must be the last thing said."""
LINE_LIMIT = 2000
"""Characters looked at; nobody asks a longer question."""
QUOTED_AT_MOST = 200

Signal = Literal["SIGTERM", "SIGKILL"]

_ANSI = LatePattern(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
_PROMPT = LatePattern(r"^\? |^Enter |^Press |\[[Yy]/[Nn]\]|\((?i:yes/no)\)")
_INPUT_MISSING = LatePattern(
    r"\bEOF when reading\b|\b(?:stdin|input device) is not a (?:tty|terminal)\b"
    r"|\braw mode is not supported\b|\binput must be provided\b|\binput required\b",
    re.IGNORECASE,
)


class Blockage(Record, frozen=True, kw_only=True):
    """Why an executor could not go on, and how it was ended."""

    reason: BlockedReason
    timeout_ms: int
    """From its start until the block was seen."""
    terminated_by: TerminatedBy
    detected_pattern: str | None = None
    """The line that gave it away."""
    termination_signal: Signal | None = None
    """None when it ended by itself."""


class WatchLimits(Record, frozen=True, kw_only=True):
    """How long an executor may work, and how long it may say nothing."""

    seconds: float
    silence_seconds: float


class ExecutorWatch:
    """One executor from its start to its end; times are monotonic seconds."""

    def __init__(self, limits: WatchLimits, started: float) -> None:
        self._limits = limits
        self._started = started
        self._last_sign = started
        self._line = ""
        self._unfinished = False
        self._open_tools: set[str] = set()
        self._unanswered: str | None = None
        self._held_at: float | None = None
        self.held_s = 0.0
        """How long it waited for a person, all in all."""

    def terminal(self, text: str, at: float) -> None:
        """The child wrote this to its terminal, in one or several pieces."""
        self._last_sign = at
        begun = self._line if self._unfinished else ""
        pieces = re.split(r"[\r\n]", begun + text[-LINE_LIMIT:])
        # From the end: in a flood only the last line that says something is read.
        said = next((piece for piece in reversed(pieces) if _plain(piece)), None)
        if said is not None:
            self._line = said[-LINE_LIMIT:]
        # An unfinished line goes on in the next piece of text; a finished one does not.
        self._unfinished = said is not None and said is pieces[-1]

    def event(self, at: float, *, opened: Iterable[str] = (), closed: Iterable[str] = ()) -> None:
        """An event of the protocol: progress, whatever it says."""
        self._last_sign = at
        # Whatever it said before, it has gone on since.
        self._line, self._unfinished = "", False
        self._open_tools.update(opened)
        self._open_tools.difference_update(closed)

    def asked(self, request: str, at: float) -> None:
        """The protocol wants an answer, and nobody here may give one."""
        self._last_sign = at
        self._unanswered = request

    def hold(self, at: float) -> None:
        """A person is asked, and takes as long as it takes: no clock runs."""
        self._held_at = at if self._held_at is None else self._held_at

    def release(self, at: float) -> None:
        """It has its answer, and its clocks go on where they stood."""
        if self._held_at is not None:
            waited = at - self._held_at
            self._held_at = None
            self.held_s += waited
            self._started += waited
            self._last_sign = at

    def verdict(self, at: float, waits_for_input: Callable[[], bool]) -> Blockage | None:
        """Whether it is stuck by now. `waits_for_input` is only called after a silence."""
        if self._unanswered is not None:
            return self._prompted(self._unanswered, at)
        if self._held_at is not None:
            return None
        if at - self._started >= self._limits.seconds:
            return self._timed_out(at)
        silent = self._silent(at)
        if silent >= PROMPT_SILENCE_S:
            if self.prompt() is not None:
                return self._prompted(self.prompt(), at)
            if waits_for_input():
                return self._starved(None, at)
        return self._timed_out(at) if silent >= self._limits.silence_seconds else None

    def patience(self, at: float) -> float:
        """How many seconds the verdict cannot change, if nothing more is seen."""
        if self._held_at is not None:
            return PROMPT_SILENCE_S
        waits = [self._started + self._limits.seconds - at]
        if not self._open_tools:
            silent = self._silent(at)
            waits.append(self._limits.silence_seconds - silent)
            if silent < PROMPT_SILENCE_S:
                waits.append(PROMPT_SILENCE_S - silent)
        return max(0.0, min(waits))

    def overran(self, at: float) -> bool:
        """Whether its whole time is over, not only its time to be silent."""
        return at - self._started >= self._limits.seconds

    def ended(self, exit_code: int | None, at: float) -> Blockage | None:
        """It ended by itself: whether for want of input."""
        line = _plain(self._line)
        if exit_code in {0, None} or _INPUT_MISSING.search(line) is None:
            return None
        return self._starved(line, at)

    def prompt(self) -> str | None:
        """The last line of terminal text, if it looks like a prompt."""
        line = _plain(self._line)
        return cut_between_words(line, QUOTED_AT_MOST) if _PROMPT.search(line) else None

    def _silent(self, at: float) -> float:
        return 0.0 if self._open_tools else at - self._last_sign

    def _prompted(self, line: str | None, at: float) -> Blockage:
        return Blockage(
            reason=BlockedReason.INTERACTIVE_PROMPT,
            timeout_ms=self._elapsed_ms(at),
            terminated_by=TerminatedBy.REPL_FAIL_CLOSED,
            detected_pattern=line,
        )

    def _starved(self, line: str | None, at: float) -> Blockage:
        return Blockage(
            reason=BlockedReason.STDIN_REQUIRED,
            timeout_ms=self._elapsed_ms(at),
            terminated_by=TerminatedBy.REPL_FAIL_CLOSED,
            detected_pattern=cut_between_words(line, QUOTED_AT_MOST) if line else None,
        )

    def _timed_out(self, at: float) -> Blockage:
        return Blockage(
            reason=BlockedReason.TIMEOUT,
            timeout_ms=self._elapsed_ms(at),
            terminated_by=TerminatedBy.TIMEOUT,
        )

    def _elapsed_ms(self, at: float) -> int:
        return round((at - self._started) * 1000)


def _plain(line: str) -> str:
    """What a person sees of it."""
    return _ANSI.sub("", line).strip()
