"""`.claude/repl.json`: what is selected, which task runs and which ended last; always durable."""

from collections.abc import Awaitable, Callable
from pathlib import Path

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.repl_state import ReplState
from pm_orchestrator.domain.ids import iso
from pm_orchestrator.domain.record import MalformedRecordError, from_json, to_file
from pm_orchestrator.ports.clock import Clock
from pm_orchestrator.ports.store import DurableFiles

Move = Callable[[ReplState, str], ReplState]
"""From a state and the time of the move to the next state."""
Proof = Callable[[ReplState, ReplState], Awaitable[None]]
"""Told the state before and after."""


class ReplStates:
    """The one reader and writer of the file; each move is one atomic write."""

    def __init__(self, files: DurableFiles, clock: Clock, path: Path) -> None:
        self._files = files
        self._clock = clock
        self._path = path

    def read(self) -> ReplState:
        """What the file says; a project that never had one begins with nothing.

        Raises:
            PmError: E105 for a file that is damaged or contradicts itself; never repaired.
        """
        try:
            state = from_json(ReplState, self._files.read(self._path), str(self._path))
        except FileNotFoundError:
            return ReplState()
        except MalformedRecordError as error:
            raise self._corrupt(error.what()) from error
        except OSError as error:
            raise self._corrupt(error.strerror or str(error)) from error
        problem = state.problem()
        if problem is not None:
            raise self._corrupt(problem)
        return state

    async def started(self, task_id: str) -> None:
        """A new task runs from now on."""
        await self._move(lambda state, now: state.started(task_id, now))

    async def reopened(self, task_id: str, before: str | None) -> None:
        """An ended task runs again; the one that ended last is `before`."""
        await self._move(lambda state, now: state.reopened(task_id, before, now))

    async def ended(self, task_id: str) -> None:
        """If the task still counts as running, it has ended now."""

        def move(state: ReplState, now: str) -> ReplState:
            return state.ended(task_id, now) if state.current_task_id == task_id else state

        await self._move(move)

    async def select(self, change: Move, proof: Proof) -> ReplState:
        """Change the selection; `proof` leaves its evidence before anything is written.

        Raises:
            PmError: E105 as `read`, or whatever `proof` raises; the file is as it was then.
        """
        async with self._files.exclusive(self._path):
            old = self.read()
            new = change(old, iso(self._clock.now()))
            await proof(old, new)
            await self._files.replace(self._path, to_file(new))
        return new

    async def _move(self, move: Move) -> None:
        async with self._files.exclusive(self._path):
            old = self.read()
            new = move(old, iso(self._clock.now()))
            if new != old:
                await self._files.replace(self._path, to_file(new))

    def _corrupt(self, reason: str) -> PmError:
        return PmError("config_corrupt", path=self._path, reason=reason)
