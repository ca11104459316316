"""Undo: a project as it was before a task, and the way forward again.

In the project directory the files are put back; the state before an undo is saved
first, so a second undo of the same task brings the work back. HEAD and branches are
never moved: commits are kept, and a branch may have been pushed; where the executor
moved HEAD, that is said together with the command that moves it back.

A task that was worked on in branches has them put aside, and they can come back. The
user's working tree has nothing to do with it. A branch that was pushed stays where it
was pushed to; only a person takes it away there.
"""

from pathlib import Path
from typing import Literal

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.task_log import TaskLog
from pm_orchestrator.domain.record import Record
from pm_orchestrator.evidence.records.open_log import TERMINAL
from pm_orchestrator.ports.recorder import Operation, Recorder
from pm_orchestrator.ports.repository import Repository
from pm_orchestrator.ports.rescue import Rescue, Restored, Saved
from pm_orchestrator.runner.places.workspace import Workspace
from pm_orchestrator.runner.project.project import Project
from pm_orchestrator.runner.project.project_sessions import directory_to_itself
from pm_orchestrator.runner.records.task_run import way_of
from pm_orchestrator.runner.sessions.open_session import OpenSession
from pm_orchestrator.runner.sessions.task_finding import find_task
from pm_orchestrator.runner.tasks.run_orders import RunOrders

Direction = Literal["undone", "redone"]
HEADS = "refs/heads/"


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


async def undo_task(project: Project, any_task_id: str, held: OpenSession | None = None) -> UndoEnd:
    """Put the files back as they were before a task; a second time, bring its work back.

    Raises:
        PmError: E210 for a task that is unknown or has nothing saved; E402 while an
            executor works in the directory.
    """
    session_id, task_id = find_task(project.book, any_task_id, held and held.session_id)
    log = project.book.read_whole(session_id, task_id)
    if way_of(log, project.paths.root) == "company":
        return await _undo_branches(project, log)
    async with directory_to_itself(project, held):
        watched = project.watched(project.paths.run(log.run_id))
        undo = UndoFiles(project.paths.root, watched.workspace, watched.rescue, project.recorder)
        return await undo.undo(session_id, log.task_id)


async def _undo_branches(project: Project, log: TaskLog) -> UndoEnd:
    if log.status not in TERMINAL:
        raise PmError("task_not_ended", task=log.task_id)
    order = RunOrders(project).find(log.run_id)
    if order is None:
        raise PmError("nothing_to_undo", task=log.task_id)
    repository = project.repository(project.paths.run(order.run_id))
    undo = UndoBranches(project.paths.root, repository, project.recorder)
    return await undo.undo(log.session_id, log.task_id, order.ticket)


class UndoFiles:
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
