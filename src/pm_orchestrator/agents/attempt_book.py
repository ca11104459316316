"""What is kept of an attempt while it goes on, and how it goes on after a crash.

Turn by turn the answer of the model is written down before its calls are made, and what
they came to, with the workspace as it then is, before the model is asked again. Whatever
kills the Runner, the attempt goes on from there: kept answers are not asked for again, and
calls whose end is not on record are made again in the workspace as it was before them.
"""

from collections import deque
from collections.abc import Awaitable, Callable
from typing import Self

from typing_extensions import override

from pm_orchestrator.domain.company.kept_turns import KeptTurn
from pm_orchestrator.domain.company.model_conversation import ChatReply, ToolCallRecord
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.evidence.records.turn_journal import TurnJournal
from pm_orchestrator.ports.clock import Clock
from pm_orchestrator.ports.executor import TurnKeeper

SaveState = Callable[[], Awaitable[str | None]]
"""Brings the state of the workspace out, and returns its commit; None where nothing changed."""
NOT_KEPT = frozenset({"git_failed", "bundle_refused", "sandbox_path_refused"})
"""Errors after which the attempt goes on although its turns are kept no longer."""


class AttemptBook(TurnKeeper):
    """The turns of one attempt."""

    def __init__(self, journal: TurnJournal, clock: Clock) -> None:
        """Open what a life before this one has left.

        Raises:
            MalformedRecordError: E302 for a journal that cannot be read.
        """
        self._journal = journal
        self._clock = clock
        self._began = clock.monotonic()
        self._before = 0
        self._turns: deque[KeptTurn] = deque()
        self._save: SaveState | None = None
        self.first: str | None = None
        self.laid_out: str | None = None
        self.state: str | None = None
        """The workspace after the last turn that is kept."""
        self.problem: str | None = None
        """Why turns are kept no longer."""
        for line in journal.read():
            self._take(line)
        if self._turns and self._turns[-1].masked and self._turns[-1].calls is None:
            # Something else than was said would be done.
            self._turns.pop()

    def _take(self, line: KeptTurn) -> None:
        self._before = max(self._before, line.seconds)
        if line.first is not None:
            self.first, self.laid_out = line.first, line.laid_out
        elif line.reply is not None:
            if self._turns and self._turns[-1].calls is None:
                # It was asked again.
                self._turns.pop()
            self._turns.append(line)
        elif self._turns:
            self._turns.append(_ended(self._turns.pop(), line))
            self.state = line.state

    @property
    def seconds(self) -> int:
        """How long the attempt has taken, in all its lives."""
        return self._before + int(self._clock.monotonic() - self._began)

    async def begin(self, first: str, laid_out: str | None) -> None:
        """The attempt begins, with these words and these files."""
        await self._journal.add(KeptTurn(first=first, laid_out=laid_out))
        self.first, self.laid_out = first, laid_out

    def saves_by(self, save: SaveState) -> Self:
        """Save the workspace in this way from now on."""
        self._save = save
        return self

    @override
    def earlier(self) -> KeptTurn | None:
        return self._turns.popleft() if self._turns else None

    @override
    async def said(self, reply: ChatReply) -> None:
        if self.problem is None:
            await self._journal.add(KeptTurn(reply=reply, seconds=self.seconds))

    @override
    async def done(self, calls: tuple[ToolCallRecord, ...], *, changing: bool) -> None:
        if self.problem is not None:
            return
        try:
            if changing and self._save is not None:
                self.state = await self._save() or self.state
        except PmError as error:
            if error.slug not in NOT_KEPT:
                raise
            # What is kept must fit together: it goes on from before this turn.
            self.problem = error.what()
            return
        await self._journal.add(KeptTurn(calls=calls, state=self.state, seconds=self.seconds))


def _ended(said: KeptTurn, done: KeptTurn) -> KeptTurn:
    return KeptTurn(reply=said.reply, masked=said.masked, calls=done.calls, state=done.state)


class Unkept(TurnKeeper):
    """For a conversation that nobody goes on with."""

    @override
    def earlier(self) -> KeptTurn | None:
        return None

    @override
    async def said(self, reply: ChatReply) -> None:
        return

    @override
    async def done(self, calls: tuple[ToolCallRecord, ...], *, changing: bool) -> None:
        return
