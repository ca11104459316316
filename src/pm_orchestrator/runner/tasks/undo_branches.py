"""Undo of a task that was worked on in branches: they are put aside, and can come back.

The user's working tree has nothing to do with it. A branch that was pushed stays where it
was pushed to; only a person takes it away there.
"""

from pathlib import Path

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.ports.recorder import Operation, Recorder
from pm_orchestrator.ports.repository import Repository
from pm_orchestrator.runner.tasks.undo import UndoEnd

HEADS = "refs/heads/"


class UndoBranches:
    """Puts the branches of one task aside, or brings them back."""

    def __init__(self, root: Path, repository: Repository, recorder: Recorder) -> None:
        self._root = root
        self._repository = repository
        self._recorder = recorder

    async def undo(self, session_id: str, task_id: str, ticket: str) -> UndoEnd:
        """Undo the task, or undo the undo of it.

        Raises:
            PmError: E210 when it has no branch, E803 when one is checked out.
        """
        aside = f"refs/pm/rescue/undone/{task_id}/"
        put = await self._repository.user_refs(self._root, aside.rstrip("/"))
        if put:
            moves = {HEADS + ref.removeprefix(aside): ref for ref in put}
            await self._repository.bring_back(self._root, moves)
        else:
            mine = await self._repository.user_refs(self._root, f"{HEADS}agent/{ticket}-*")
            if not mine:
                raise PmError("nothing_to_undo", task=task_id)
            moves = {ref: aside + ref.removeprefix(HEADS) for ref in mine}
            await self._repository.put_aside(self._root, moves)
        direction = "redone" if put else "undone"
        lines = [f"{direction} {task_id}", *(f"{ref} <-> {to}" for ref, to in moves.items())]
        evidence = await self._recorder.record(
            Operation(type="undo", raw="\n".join(lines), session_id=session_id, task_id=task_id)
        )
        return UndoEnd(
            task_id=task_id,
            direction=direction,
            files_written=(),
            files_removed=(),
            saved_as=aside.rstrip("/"),
            head_was=None,
            head_is=None,
            index_restored=False,
            evidence_id=evidence.evidence_id,
            branches=tuple(ref.removeprefix(HEADS) for ref in moves),
        )
