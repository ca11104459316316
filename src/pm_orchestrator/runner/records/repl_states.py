"""`.claude/repl.json`: what is selected, which task runs and which ended last; always durable.

Between tasks anybody may edit the file. While one runs, which may be until the start after a
crash, it counts as our own processes wrote it: a copy outside of the project says how.
"""

from collections.abc import Awaitable, Callable
from pathlib import Path

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.repl_state import ReplState, StatesOfRunning
from pm_orchestrator.domain.ids import iso
from pm_orchestrator.domain.record import MalformedRecordError, from_json, to_file
from pm_orchestrator.evidence.guard.held_settings import HeldSettings
from pm_orchestrator.ports.clock import Clock
from pm_orchestrator.ports.store import DurableFiles

Move = Callable[[ReplState, str], ReplState]
"""From a state and the time of the move to the next state."""
Proof = Callable[[ReplState, ReplState], Awaitable[None]]
"""Told the state before and after."""


class ReplStates:
    """The one reader and writer of the file; each move is one atomic write.

    `head_file` is the copy of the chain's head, which the copy of this file lies beside.
    `settings` are held for as long as a task runs.
    """

    def __init__(
        self,
        files: DurableFiles,
        clock: Clock,
        path: Path,
        head_file: Path,
        settings: HeldSettings | None = None,
    ) -> None:
        self._files = files
        self._clock = clock
        self._path = path
        self._settings = settings
        self._copy = head_file.parent.with_name("running") / head_file.name

    def read(self) -> ReplState:
        """What the file says, or said before it was altered while a task ran.

        A project that never had one begins with nothing.

        Raises:
            PmError: E105 for a file that is damaged or contradicts itself; never repaired.
        """
        altered = self._altered()
        return self._on_disk() if altered is None else altered

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
            await self._write(old, new)
        return new

    async def put_back(self, proof: Callable[[], Awaitable[None]]) -> None:
        """If the file was altered while a task ran, have it as it was, and `proof` of that."""
        async with self._files.exclusive(self._path):
            if (before := self._altered()) is not None:
                await proof()
                await self._files.replace(self._path, to_file(before))

    async def _move(self, move: Move) -> None:
        async with self._files.exclusive(self._path):
            old = self.read()
            new = move(old, iso(self._clock.now()))
            if new != old:
                await self._write(old, new)
            elif self._running() and new.current_task_id is None:
                # It was cut off between the copy and the file.
                await self._let_go()

    async def _write(self, old: ReplState, new: ReplState) -> None:
        ran = self._running() is not None
        if ran or new.current_task_id is not None:
            await self._files.replace(self._copy, to_file(StatesOfRunning(states=(old, new))))
        await self._files.replace(self._path, to_file(new))
        if self._settings is not None and not ran and new.current_task_id is not None:
            await self._settings.hold()
        if ran and new.current_task_id is None:
            await self._let_go()

    async def _let_go(self) -> None:
        if self._settings is not None:
            await self._settings.let_go()
        await self._files.remove([self._copy])

    def _altered(self) -> ReplState | None:
        """How the file was before somebody else wrote it while a task ran."""
        running = self._running()
        if running is None:
            return None
        try:
            if self._on_disk() in running.states:
                return None
        except PmError:
            pass  # A file of ours that nobody touched can be read.
        return running.states[-1]

    def _running(self) -> StatesOfRunning | None:
        try:
            found = from_json(StatesOfRunning, self._files.read(self._copy), str(self._copy))
        except (OSError, MalformedRecordError):
            return None
        return found if found.running else None

    def _on_disk(self) -> ReplState:
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

    def _corrupt(self, reason: str) -> PmError:
        return PmError("config_corrupt", path=self._path, reason=reason)
