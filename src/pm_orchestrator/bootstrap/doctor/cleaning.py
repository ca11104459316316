"""Clearing up after dead processes of ours, and nothing else.

It holds the project directory meanwhile, so that no executor works in it and no living
Runner misses a file. What is removed carries the number of a process that is gone, or names
this project as the one it was copied from.
"""

import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec
import psutil

from pm_orchestrator.adapters.stores.owner_survey import owner_records, remove_left
from pm_orchestrator.adapters.views.copies import COPY_PREFIX, remove
from pm_orchestrator.adapters.views.overlay_views import VIEW_PREFIX, view_places
from pm_orchestrator.domain.record import Record
from pm_orchestrator.runner.project.project import Project
from pm_orchestrator.runner.project.project_sessions import directory_to_itself, ledger_of

# As the writers of durable files and of owner records name their drafts.
DRAFT = re.compile(r"\..+?\.(?P<pid>\d+)(?:\.\d+)?\.tmp")


class CleanReport(Record, frozen=True, kw_only=True):
    """What was put in order."""

    closed_tasks: tuple[str, ...]
    """Tasks that still said "running"."""
    removed: tuple[str, ...]
    """Files and directories that are gone now."""


async def clean(project: Project) -> CleanReport:
    """Put in order what dead processes left in and around the project.

    Raises:
        PmError: E402 while an executor works in the project directory.
    """
    ledger = ledger_of(project, in_directory=True)
    before = {task.task_id for task in ledger.unfinished()}
    # Taking the directory closes the tasks of dead owners.
    async with directory_to_itself(project):
        left = {task.task_id for task in ledger.unfinished()}
        removed = [*_owners(project), *_drafts(project), *_copies(project), *_views(project)]
    return CleanReport(
        closed_tasks=tuple(sorted(before - left)), removed=tuple(str(path) for path in removed)
    )


def _owners(project: Project) -> Iterator[Path]:
    for path, pid, alive in owner_records(project.paths.owners):
        # Closing the task of a dead owner has made us the last owner of its session.
        left = not alive or pid == os.getpid()
        if left and path != project.paths.executing and remove_left(path):
            yield path


def _drafts(project: Project) -> Iterator[Path]:
    """Files that a process was writing when it died; the whole ones they were to replace stay."""
    for folder in (project.paths.claude, project.paths.state):
        for path in sorted(folder.rglob(".*.tmp")):
            match = DRAFT.fullmatch(path.name)
            if match and not psutil.pid_exists(int(match["pid"])):
                path.unlink(missing_ok=True)
                yield path


def _copies(project: Project) -> Iterator[Path]:
    """Copies of this project that gates were run on. Nobody uses one while we hold the project."""
    variables = project.variables
    place = Path(variables.get("TMPDIR") or tempfile.gettempdir())
    for folder in sorted(place.glob(f"{COPY_PREFIX}*")):
        if not folder.is_symlink() and _is_copy_of(
            folder / project.paths.root.name, project.paths.root
        ):
            remove(folder)
            yield folder


def _views(project: Project) -> Iterator[Path]:
    """What gates wrote in views whose Runner is gone."""
    for place in view_places(project.variables):
        for folder in sorted(place.glob(f"{VIEW_PREFIX}*-*")):
            owner = folder.name.removeprefix(VIEW_PREFIX).partition("-")[0]
            ours = owner.isdigit() and folder.lstat().st_uid == os.geteuid()
            if ours and not folder.is_symlink() and not psutil.pid_exists(int(owner)):
                remove(folder)
                yield folder


def _is_copy_of(copy: Path, root: Path) -> bool:
    """Whether the sessions in the copy name this project as theirs."""
    for state in copy.glob(".claude/logs/sessions/*/session_state.json"):
        try:
            content = msgspec.json.decode(state.read_bytes(), type=dict[str, object])
        except (OSError, msgspec.DecodeError):
            continue
        return content.get("target_project") == str(root)
    return False
