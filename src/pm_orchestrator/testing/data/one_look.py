"""A single look at a directory, for tests that compare two."""

from pathlib import Path

from pm_orchestrator.evidence.look.snapshot import DirectoryWalk, Rules, Snapshot
from pm_orchestrator.evidence.look.stat_cache import StatCache


def take_snapshot(root: Path) -> Snapshot:
    """The state of every file below `root` that counts; nothing is ignored or cached."""
    return DirectoryWalk(root, StatCache(), lambda: 0).scan(Rules())
