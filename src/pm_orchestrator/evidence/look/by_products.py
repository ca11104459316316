"""What running code left behind in the course of a task.

Nobody holds it, and nobody should believe it: a stamp that says "tested", or a program that
looks newer than its source, can be made by hand. What a gate makes again by itself is left
out of its sight; what it only needs is there.
"""

import os
import stat
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from pm_orchestrator.evidence.look.ignored_files import is_by_product
from pm_orchestrator.evidence.look.snapshot import SKIPPED_PATHS

LEFT_ALONE = frozenset(
    {"__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".tox", ".nox", ".eggs"}
    | {"node_modules", ".venv", "venv", ".git"}
)
"""Out of every gate's sight already, or nothing that a gate can make without a network."""
MOST_FILES = 400
MOST_BYTES = 64 * 1024**2
"""More than this takes too long to make again; then only what comes from the future is named."""
PATIENCE_S = 1.0
MOST_LOOKED_AT = 50_000


def made_by_running(root: Path, ignored: Iterable[str], since_ns: int) -> tuple[str, ...]:
    """By-products that were made or touched since: whole folders where all in them is new."""
    now = time.time_ns()
    touched: dict[str, os.stat_result] = {}
    old: set[str] = set()
    for path, about in _files(root, ignored):
        if about.st_ctime_ns >= since_ns:
            touched[path] = about
        else:
            old.update(_above(path))
    size = sum(about.st_size for about in touched.values())
    if len(touched) > MOST_FILES or size > MOST_BYTES:
        return tuple(sorted(path for path, about in touched.items() if about.st_mtime_ns > now))
    whole = (next((a for a in _above(path) if a not in old), path) for path in touched)
    return tuple(sorted(dict.fromkeys(whole)))


def made_again(made: Iterable[str], written: Iterable[str]) -> tuple[str, ...]:
    """Which of them a gate has made by itself; folders among `written` end with a slash."""
    there = {path.rstrip("/") for path in written}
    return tuple(path for path in made if path in there)


def _files(root: Path, ignored: Iterable[str]) -> Iterator[tuple[str, os.stat_result]]:
    """The plain files and links that count as by-products, by path."""
    until, seen = time.monotonic() + PATIENCE_S, 0
    pending = [path for path in ignored if not set(path.rstrip("/").split("/")) & LEFT_ALONE]
    while pending and seen < MOST_LOOKED_AT and time.monotonic() < until:
        path = pending.pop()
        seen += 1
        if any(path == own or path.startswith(f"{own}/") for own in SKIPPED_PATHS):
            continue
        try:
            if path.endswith("/"):
                with os.scandir(root / path) as entries:
                    pending += (
                        path + e.name + ("/" if e.is_dir(follow_symlinks=False) else "")
                        for e in entries
                        if e.name not in LEFT_ALONE
                    )
            elif any(is_by_product(part) for part in path.split("/")):
                about = (root / path).lstat()
                if stat.S_ISREG(about.st_mode) or stat.S_ISLNK(about.st_mode):
                    yield path, about
        except OSError:
            continue


def _above(path: str) -> list[str]:
    """The by-product folders that a file is in, the outermost first."""
    parts = path.split("/")
    first = next((n for n, part in enumerate(parts[:-1], 1) if is_by_product(part)), len(parts))
    return ["/".join(parts[:n]) for n in range(first, len(parts))]
