"""The refs of rescues before and after tasks, read where they are plain files, loose or packed."""

import os
from collections.abc import Collection, Mapping
from pathlib import Path

from pm_orchestrator.adapters.git.refs import OBJECT_ID
from pm_orchestrator.domain.late_pattern import LatePattern

FOLDER = "refs/pm/rescue"
OF_A_TASK = LatePattern(rf"{FOLDER}/run_(\d+)/task-\d+(?:\.beside)?(?:\.after)?")
"""Nobody but the one who has the directory to itself writes these."""
LATEST = 20
"""Runs; most have a tree from before and one from after their task."""
LARGEST = 1 << 20
"""Bytes of `packed-refs`; whoever has more of them keeps the loose ones under guard."""


def latest_rescues(directory: Path) -> dict[str, str]:
    """The latest rescues of the repository at `directory`, and what they name."""
    packed = {ref: oid for ref, oid in _packed(directory).items() if OF_A_TASK.fullmatch(ref)}
    # A longer number is a later one.
    runs = sorted(sorted(_names(directory / FOLDER)), key=len)
    loose = [f"{FOLDER}/{run}" for run in runs[-LATEST:]]
    names = [f"{run}/{name}" for run in loose for name in _names(directory / run)]
    return latest_of(packed | refs_named(directory, names, {}))


def latest_of(refs: Mapping[str, str]) -> dict[str, str]:
    """The latest of these that are rescues before or after tasks."""
    runs = {ref: int(found[1]) for ref in refs if (found := OF_A_TASK.fullmatch(ref))}
    latest = set(sorted(set(runs.values()))[-LATEST:])
    names = sorted((ref for ref in runs if runs[ref] in latest), key=lambda ref: (runs[ref], ref))
    return {ref: refs[ref] for ref in names}


def refs_named(
    directory: Path, refs: Collection[str], packed: Mapping[str, str] | None = None
) -> dict[str, str]:
    """What these refs name; `packed` where that was read already."""
    found: dict[str, str] = {}
    for ref in refs:
        oid = _loose(directory / ref)
        if oid is None:
            packed = _packed(directory) if packed is None else packed
            oid = packed.get(ref)
        if oid is not None:
            found[ref] = oid
    return found


def _loose(path: Path) -> str | None:
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    with os.fdopen(handle, "rb") as file:
        try:
            oid = file.read(100).decode("ascii", "replace").strip()
        except OSError:
            return ""
    # A ref to a ref, or anything else, names no commit.
    return oid if OBJECT_ID.fullmatch(oid) else ""


def _packed(directory: Path) -> dict[str, str]:
    path = directory / "packed-refs"
    try:
        if path.stat().st_size > LARGEST:
            return {}
        text = path.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return {}
    pairs = (line.split(" ", 1) for line in text.splitlines() if f" {FOLDER}/" in line)
    return {ref: oid for oid, ref in pairs}


def _names(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208 - there is one for each run
    except OSError:
        return []
