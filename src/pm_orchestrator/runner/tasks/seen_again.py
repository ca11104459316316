"""The disk is looked at again before a person settles a task: the verdict names what is there."""

import hashlib
from collections.abc import Callable
from pathlib import Path

from msgspec.structs import replace

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.task_log import TaskLog
from pm_orchestrator.domain.judging.gate import GateVerdict
from pm_orchestrator.domain.judging.outcome import Facts, FileChange, Reason, rightly_gone
from pm_orchestrator.gates.detect.documents import is_document
from pm_orchestrator.gates.judge.acceptable import names as listing
from pm_orchestrator.runner.layout import ProjectPaths
from pm_orchestrator.runner.places.plain_files import differs, has_name
from pm_orchestrator.runner.places.since_saved import SinceSaved
from pm_orchestrator.runner.project.project import Project
from pm_orchestrator.runner.run.facts import still_as_before


async def seen_again(
    project: Project, log: TaskLog, facts: Facts
) -> tuple[Facts, tuple[Reason, ...]]:
    """The facts as the disk bears them out now, and what to say about the difference.

    Raises:
        PmError: E210 when nothing of the work is there any more.
    """
    if not facts.changes:
        return facts, ()
    watched, root = project.watched(project.paths.run(log.run_id)), project.paths.root
    since = SinceSaved(root, watched.workspace, watched.rescue, watched.saved_files)
    first = await since.first(log.task_id)
    now = None if first is None else await since.changes(first, f"{log.run_id}/{log.task_id}")
    if now is None:
        now = still_there(project.paths, facts.changes)
    found = as_it_is(facts, now, lambda path: not has_name(root / Path(path)))
    if not found.changes and not found.effects:
        raise PmError("not_acceptable", task=log.task_id, reason="its work is not there any more")
    other = changed_since(facts, found)
    if not other:
        return found, ()
    return unchecked(found, other), (Reason(key="changed_since", params={"files": listing(other)}),)


def still_there(paths: ProjectPaths, changes: tuple[FileChange, ...]) -> tuple[FileChange, ...]:
    """Those of the changes that are as they were; for a directory that could not be saved."""
    return tuple(change for change in changes if not differs(paths.root, change))


def as_it_is(facts: Facts, now: tuple[FileChange, ...], absent: Callable[[str], bool]) -> Facts:
    """The same facts with the files as they are now; what else has changed is not the task's."""
    known = {path for c in facts.changes for path in (c.path, c.previous_path)}
    asked = dict.fromkeys((*facts.expected_files, *facts.missing_files))
    changes = tuple(c for c in now if c.path in known or c.path in asked)
    gone = rightly_gone(changes, facts.expected_files)
    missing = tuple(path for path in asked if absent(path) and path not in gone)
    to_go = dict.fromkeys((*facts.files_to_go, *facts.left_alone))
    to_change = dict.fromkeys((*facts.files_to_change, *facts.unchanged_files))
    touched = {change.path for change in now} | gone
    return replace(
        facts,
        changes=changes,
        missing_files=missing,
        left_alone=tuple(path for path in to_go if not absent(path)),
        unchanged_files=still_as_before(to_change, touched, absent),
    )


def changed_since(then: Facts, now: Facts) -> tuple[str, ...]:
    """The files that are not as they were when they were judged."""
    one, other = ({(c.path, c.kind, c.size, c.sha256) for c in f.changes} for f in (then, now))
    return tuple(sorted({path for path, *_ in one ^ other}))


def unchecked(now: Facts, other: tuple[str, ...]) -> Facts:
    """What the gates said was said of another tree, unless only documents differ."""
    ran = now.gates is not None and any(
        result.verdict is not GateVerdict.ABSENT for result in now.gates.results
    )
    if not ran or all(map(is_document, other)):
        return now
    found = "\0".join(f"{c.path}\0{c.sha256}" for c in now.changes)
    return replace(now, commit=hashlib.sha256(found.encode("utf-8", "surrogatepass")).hexdigest())
