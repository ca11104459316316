"""What a task changed, as a person reads it: the files, how many lines, and the lines."""

from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.report import RunResult
from pm_orchestrator.domain.history.task_log import TaskLog, was_cut_off
from pm_orchestrator.domain.judging.line_changes import ChangedLines, Contents
from pm_orchestrator.domain.judging.outcome import ChangeKind
from pm_orchestrator.domain.record import Record
from pm_orchestrator.evidence.records.open_log import TERMINAL
from pm_orchestrator.ports.tree_differences import TreeDifferences
from pm_orchestrator.runner.places.beside.neighbours import OUTSIDE
from pm_orchestrator.runner.places.plain_files import has_name
from pm_orchestrator.runner.project.project import Project
from pm_orchestrator.runner.records.task_run import Way, way_of
from pm_orchestrator.runner.sessions.open_session import OpenSession
from pm_orchestrator.runner.sessions.task_finding import find_task
from pm_orchestrator.runner.tasks.compared_trees import ComparedTrees, Until, compared_trees

BESIDE: frozenset[Contents] = frozenset({"not_kept", "outside", "nested"})
"""In neither of the trees that are compared."""
AT_ONCE = 25
"""Files whose lines are asked for in one call."""
MOST_FILES = 500
MOST_BYTES = 8 * 1024**2
"""Of lines; what is left out is said, and git itself shows it from the two commits."""


class TaskDiff(Record, frozen=True, kw_only=True):
    """`diff TASK`: the change between the tree before a task and the tree after it."""

    session_id: str
    task_id: str
    way: Way
    before: str | None = None
    after: str | None = None
    """Commits that hold the two trees; none where nothing was changed."""
    until: Until = "its_end"
    """`its_end`, or where the tree after it comes from when none was saved at its end."""
    files: tuple[ChangedLines, ...] = ()
    patch: str = ""
    """As git writes it; bytes that are no UTF-8 are replaced."""
    left_out: int = 0
    """Files whose lines are not in `patch`, because they would be too many."""


def last_task(project: Project) -> str:
    """The task of the project that began last.

    Raises:
        PmError: E210 where there is none.
    """
    for session in reversed(project.book.session_ids()):
        for entry in reversed(project.book.entries(session)):
            if entry.parent_task_id is None:
                return entry.external_task_id
    raise PmError("no_task_yet")


async def diff_of(
    project: Project, any_task_id: str | None, held: OpenSession | None = None
) -> TaskDiff:
    """The change that a task made; without an id, that of the last task.

    Raises:
        PmError: E210 for a task that is unknown or never got to work.
    """
    typed = any_task_id or last_task(project)
    session_id, task_id = find_task(project.book, typed, held and held.session_id)
    log = project.book.read_whole(session_id, task_id)
    way = way_of(log, project.paths.root)
    if _changed_nothing(log):
        return TaskDiff(session_id=session_id, task_id=log.task_id, way=way)
    differences = project.watched(project.paths.run(log.run_id)).differences()
    async with compared_trees(project, log, held) as trees:
        files = await _files(differences, trees, log)
        patch, left_out = await _patch(differences, trees, files)
    return TaskDiff(
        session_id=session_id,
        task_id=log.task_id,
        way=way,
        before=trees.before,
        after=trees.after,
        until=trees.until,
        files=files,
        patch=patch.decode("utf-8", "replace"),
        left_out=left_out,
    )


async def lines_of(project: Project, result: RunResult) -> tuple[ChangedLines, ...]:
    """The same files, for the end of the task; nothing where they cannot be compared."""
    log = project.book.read_whole(result.session_id, result.task_id)
    return await lines_in(project, log)


async def lines_in(project: Project, log: TaskLog) -> tuple[ChangedLines, ...]:
    """The changed files of an ended task, counted."""
    if _changed_nothing(log):
        return ()
    differences = project.watched(project.paths.run(log.run_id)).differences()
    try:
        async with compared_trees(project, log) as trees:
            return await _files(differences, trees, log)
    except PmError:
        # It is only shown, and the changes themselves are on record.
        return ()


async def _files(
    differences: TreeDifferences, trees: ComparedTrees, log: TaskLog
) -> tuple[ChangedLines, ...]:
    found = await differences.lines(trees.repository, trees.before, trees.after)
    recorded = _recorded(log)
    if trees.until == "its_end":
        shown = {name for file in found for name in (file.path, file.previous_path)}
        # What git ignores is in neither tree, and was still seen to change.
        beside = [
            ChangedLines(
                path=path,
                kind=kind,
                contents=_where(Path(log.verification_root), path),
            )
            for path, kind in recorded.items()
            if path not in shown
        ]
        return tuple(sorted((*found, *beside), key=lambda file: file.path))
    if was_cut_off(log):
        # Nobody has looked at its end.
        return found
    # Somebody else may have written since; of the task is what was seen at its end.
    return tuple(f for f in found if f.path in recorded or f.previous_path in recorded)


def _where(root: Path, path: str) -> Contents:
    """Why a file is in neither tree."""
    if path.startswith(OUTSIDE):
        return "outside"
    folders = [folder for folder in PurePosixPath(path).parents if folder.name]
    nested = any(has_name(root / folder / ".git") for folder in folders)
    return "nested" if nested else "not_kept"


def _changed_nothing(log: TaskLog) -> bool:
    return log.status in TERMINAL and not _recorded(log) and not was_cut_off(log)


def _recorded(log: TaskLog) -> dict[str, ChangeKind]:
    artifacts = log.artifacts
    kinds: dict[str, ChangeKind] = dict.fromkeys(artifacts.files_touched, "modified")
    kinds.update(dict.fromkeys(artifacts.files_created, "created"))
    kinds.update(dict.fromkeys(artifacts.files_deleted, "deleted"))
    return kinds


async def _patch(
    differences: TreeDifferences, trees: ComparedTrees, files: Sequence[ChangedLines]
) -> tuple[bytes, int]:
    """The lines of as many files as are read at once, and how many are left out."""
    there = [file for file in files if file.contents not in BESIDE]
    patch = b""
    for start in range(0, min(len(there), MOST_FILES), AT_ONCE):
        some = there[start : start + AT_ONCE]
        if len(patch) > MOST_BYTES:
            return patch, len(there) - start
        patch += await differences.patch(trees.repository, trees.before, trees.after, some)
    return patch, max(0, len(there) - MOST_FILES)
