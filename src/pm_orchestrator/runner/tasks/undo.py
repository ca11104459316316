"""Undo: the project's files as they were before a task, and the way forward again.

The state before an undo is saved first, so a second undo of the same task brings
the work back. HEAD and branches are never moved: commits are kept, and a branch
may have been pushed; where the executor moved HEAD, that is said together with the
command that moves it back.
"""

from pathlib import Path
from typing import Literal

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.record import Record
from pm_orchestrator.ports.recorder import Operation, Recorder
from pm_orchestrator.ports.rescue import Rescue, Restored, Saved
from pm_orchestrator.runner.places.workspace import Workspace

Direction = Literal["undone", "redone"]


class UndoEnd(Record, frozen=True, kw_only=True):
    """What an undo did."""

    task_id: str
    direction: Direction
    files_written: tuple[str, ...]
    files_removed: tuple[str, ...]
    saved_as: str
    """The ref that holds the state before."""
    head_was: str | None
    """Where HEAD was when the restored tree was saved."""
    head_is: str | None
    index_restored: bool
    evidence_id: str
    branches: tuple[str, ...] = ()
    """Of a task that was worked on in branches: those that were put aside, or are back."""

    @property
    def head_moved(self) -> bool:
        return self.head_was != self.head_is


class Undo:
    """Puts one project's files back."""

    def __init__(
        self, root: Path, workspace: Workspace, rescue: Rescue, recorder: Recorder
    ) -> None:
        self._root = root
        self._workspace = workspace
        self._rescue = rescue
        self._recorder = recorder

    async def undo(self, session_id: str, task_id: str) -> UndoEnd:
        """Undo the task, or undo the undo of it.

        Raises:
            PmError: E210 when nothing was saved for it; E801 when git fails, E402 when
                the user's git is at work on the index. The state before is saved then.
        """
        name = await self._first_name(task_id)
        undone, redone = f"{name}.undone", f"{name}.redone"
        forward = await self._rescue.find(self._root, undone)
        if forward is None:
            target = await self._saved(name, task_id)
            before, restored = await self._swap(target, undone)
            direction: Direction = "undone"
        else:
            target, direction = forward, "redone"
            before, restored = await self._swap(target, redone)
            # Only now: until the files are back, the name is the only way to them.
            await self._rescue.forget(self._root, forward)
        return await self._end(session_id, task_id, direction, before, restored)

    async def _swap(self, target: Saved, name: str) -> tuple[Saved, Restored]:
        tree = await self._workspace.current(target.ignored)
        before = await self._rescue.save(tree, name, beside=target)
        return before, await self._rescue.restore(self._root, before, target)

    async def _first_name(self, task_id: str) -> str:
        """A task that went on after a question has several runs; undo goes before the first."""
        names = await self._rescue.names(self._root, task_id)
        if not names:
            raise PmError("nothing_to_undo", task=task_id)
        return names[0]

    async def _saved(self, name: str, task_id: str) -> Saved:
        saved = await self._rescue.find(self._root, name)
        if saved is None:
            raise PmError("nothing_to_undo", task=task_id)
        return saved

    async def _end(
        self,
        session_id: str,
        task_id: str,
        direction: Direction,
        before: Saved,
        restored: Restored,
    ) -> UndoEnd:
        lines = [
            f"{direction} {task_id}",
            f"state before: {before.ref} {before.commit}",
            f"HEAD was {restored.head_was}, is {restored.head_is}",
            *(f"written {path}" for path in restored.written),
            *(f"removed {path}" for path in restored.removed),
        ]
        evidence = await self._recorder.record(
            Operation(type="undo", raw="\n".join(lines), session_id=session_id, task_id=task_id)
        )
        return UndoEnd(
            task_id=task_id,
            direction=direction,
            files_written=restored.written,
            files_removed=restored.removed,
            saved_as=before.ref,
            head_was=restored.head_was,
            head_is=restored.head_is,
            index_restored=restored.index_restored,
            evidence_id=evidence.evidence_id,
        )
