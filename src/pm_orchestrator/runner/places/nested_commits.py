"""Commits in a repository of its own inside the project, where all of the work is in there."""

from pathlib import Path

from msgspec.structs import replace

from pm_orchestrator.domain.judging.effect import Effect, Recorded, Refs
from pm_orchestrator.gates.detect.detection import touched_paths
from pm_orchestrator.ports.commit_history import CommitHistory
from pm_orchestrator.runner.places.place import Seen


async def recorded_in(
    history: CommitHistory, root: Path, seen: Seen, since: Refs, asked: tuple[Effect, ...]
) -> Recorded | None:
    """What became of the history of the project, or of the one repository that was worked in."""
    found = await history.recorded(root, since, asked)
    touched = touched_paths(seen.changes)
    inner = next((n for n in seen.nested if all(p.startswith(f"{n}/") for p in touched)), None)
    if found is None or found.committed or not touched or inner is None:
        return found
    own = await history.recorded(root / inner, Refs(), asked)
    if own is None:
        return found
    return replace(
        found,
        committed=touched & {f"{inner}/{path}" for path in own.committed},
        uncommitted=frozenset(f"{inner}/{path}" for path in own.uncommitted),
        messages=own.messages,
    )
