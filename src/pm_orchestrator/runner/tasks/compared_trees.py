"""The two trees between which a task lies: as it was before the first run, and after the last.

What a task left is saved when it is judged. One that came to no judgement left its work in
the directory, where the next saved tree still has it, or, if none was saved since, the disk.
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

import msgspec

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.task_log import TaskLog
from pm_orchestrator.evidence.records.open_log import TERMINAL
from pm_orchestrator.ports.rescue import Saved
from pm_orchestrator.runner.places.beside.neighbours import AFTERWARDS, BESIDE
from pm_orchestrator.runner.project.project import Project, WatchedDirectory
from pm_orchestrator.runner.project.project_sessions import directory_to_itself
from pm_orchestrator.runner.project.results import kept_result, result_of
from pm_orchestrator.runner.records.task_run import way_of
from pm_orchestrator.runner.sessions.open_session import OpenSession
from pm_orchestrator.runner.tasks.run_orders import RunOrders

Until = Literal["its_end", "its_undo", "next_task", "now"]
"""Where the second tree comes from; only the first is surely the work of the task alone."""


class ComparedTrees(msgspec.Struct, frozen=True, kw_only=True):
    """Two commits of one repository."""

    repository: Path
    before: str
    after: str
    until: Until = "its_end"


@asynccontextmanager
async def compared_trees(
    project: Project, log: TaskLog, held: OpenSession | None = None
) -> AsyncGenerator[ComparedTrees]:
    """The trees, as long as they are needed.

    Raises:
        PmError: E210 where there is nothing to compare; E402 while somebody works in the
            directory whose state now would be needed.
    """
    if way_of(log, project.paths.root) == "company":
        yield _of_company(project, log)
        return
    watched = project.watched(project.paths.run(log.run_id))
    root = project.paths.root
    names = await watched.rescue.names(root, log.task_id)
    first = await watched.rescue.find(root, names[0]) if names else None
    if first is None:
        raise PmError("nothing_to_compare", task=log.task_id)
    found = await _saved_after(watched, root, log, names)
    if found is not None and found[0].place == first.place:
        after, until = found
        yield _trees(first, after, until)
        return
    if log.status not in TERMINAL:
        raise PmError("task_not_ended", task=log.task_id)
    async with directory_to_itself(project, held):
        now = await watched.workspace.current(first.ignored)
        saved = await watched.rescue.save(now, f"{names[-1]}.now", beside=first)
        try:
            yield _trees(first, saved, "now")
        finally:
            await watched.rescue.forget(root, saved)


async def _saved_after(
    watched: WatchedDirectory, root: Path, log: TaskLog, names: tuple[str, ...]
) -> tuple[Saved, Until] | None:
    """The first of the trees that were saved since the last run began."""
    after = await watched.rescue.find(root, f"{names[-1]}{AFTERWARDS}")
    if after is not None:
        return after, "its_end"
    undone = await watched.rescue.find(root, f"{names[0]}.undone")
    if undone is not None:
        return undone, "its_undo"
    last = _number(names[-1])
    later = [name for name in await _latest(watched, root) if _number(name) > last]
    saved = await watched.rescue.find(root, min(later, key=_number)) if later else None
    return None if saved is None else (saved, "next_task")


async def _latest(watched: WatchedDirectory, root: Path) -> list[str]:
    """What was saved before the latest tasks."""
    refs = await watched.rescue.latest(root)
    names = ["/".join(ref.split("/")[-2:]) for ref in refs]
    return [name for name in names if not name.endswith(AFTERWARDS) and BESIDE not in name]


def _number(name: str) -> int:
    digits = name.partition("/")[0].rpartition("_")[2]
    return int(digits) if digits.isdigit() else 0


def _trees(before: Saved, after: Saved, until: Until) -> ComparedTrees:
    return ComparedTrees(
        repository=before.place, before=before.commit, after=after.commit, until=until
    )


def _of_company(project: Project, log: TaskLog) -> ComparedTrees:
    """What the run started from, and what it delivered: both are commits of the user's."""
    order = RunOrders(project).find(log.run_id)
    made_in = log.run_id if order is None else order.run_id
    result = result_of(project, log.run_id) or kept_result(project, made_in)
    if result is not None and result.commit is None:
        # A person's word about it says no commit; the run that it is about does.
        result = kept_result(project, made_in)
    if order is None or result is None or result.commit is None:
        raise PmError("nothing_to_compare", task=log.task_id)
    return ComparedTrees(repository=project.paths.root, before=order.base, after=result.commit)
