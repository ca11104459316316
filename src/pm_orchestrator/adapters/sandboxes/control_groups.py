"""Limits for all processes of a sandbox together, by the kernel's control groups.

Version 1 has a tree for each resource, version 2 one for all. A group is made where the host's
own processes are: below them in version 1, beside them in version 2, which allows no processes
in a group that has others below it. Who may not write there, as most users of a shared machine,
has no groups, and the sandbox says what is not limited.
"""

import asyncio
import contextlib
import os
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

MEMORY, CPU, PIDS = "memory", "cpu", "pids"
PREFIX = "pm-sandbox-"
"""Followed by the number of the process that made it, so that one left behind is known."""
PERIOD_US = 100_000
GONE_S = 2.0
"""How long the last processes of a sandbox may take to leave the kernel's books."""


class GroupLimits(NamedTuple):
    """What the processes of one sandbox may use."""

    memory_bytes: int
    processes: int
    cpus: float | None = None


class GroupTree(NamedTuple):
    """A folder in which groups can be made, and what it limits."""

    folder: Path
    version: int
    resources: tuple[str, ...]


class ControlGroup:
    """The groups of one sandbox."""

    def __init__(self, folders: Mapping[Path, tuple[str, ...]]) -> None:
        self._folders = folders

    @property
    def doors(self) -> tuple[str, ...]:
        """Files that a process writes its number to in order to be limited."""
        return tuple(str(folder / "cgroup.procs") for folder in self._folders)

    def holds(self) -> frozenset[str]:
        """What is limited, as the processes have really entered."""
        return frozenset(
            resource
            for folder, resources in self._folders.items()
            if _read(folder / "cgroup.procs").strip()
            for resource in resources
        )

    def killed(self) -> int:
        """How many of its processes the kernel has killed for want of memory."""
        for folder, resources in self._folders.items():
            if MEMORY in resources:
                text = _read(folder / "memory.events") or _read(folder / "memory.oom_control")
                counts = dict(line.split(" ", 1) for line in text.splitlines() if " " in line)
                return int(counts.get("oom_kill", "0"))
        return 0

    async def remove(self) -> None:
        """Once its processes are gone; what will not go is removed with a later sandbox."""
        until = time.monotonic() + GONE_S
        left = [folder for folder in self._folders if not _removed(folder)]
        while left and time.monotonic() < until:
            await asyncio.sleep(0.01)
            left = [folder for folder in left if not _removed(folder)]


def control_group(name: str, wanted: GroupLimits, root: Path = Path("/")) -> ControlGroup:
    """The groups of a sandbox with their limits, as far as they can be made here."""
    folders: dict[Path, tuple[str, ...]] = {}
    for tree in _trees(root):
        _sweep(tree.folder)
        folder = tree.folder / f"{PREFIX}{os.getpid()}-{name}"
        try:
            folder.mkdir()
        except OSError:
            continue
        limited = tuple(each for each in tree.resources if _limit(folder, tree, each, wanted))
        if limited:
            folders[folder] = limited
        else:
            _removed(folder)
    return ControlGroup(folders)


def _trees(root: Path) -> Iterator[GroupTree]:
    """Where groups may be made, for each resource once."""
    mounts = [line.split(" ") for line in _read(root / "proc/self/mounts").splitlines()]
    own = dict(_own(_read(root / "proc/self/cgroup")))
    left = {MEMORY, CPU, PIDS}
    for _, at, kind, options, *_ in mounts:
        place = root / at.lstrip("/")
        if kind == "cgroup" and (found := left.intersection(options.split(","))):
            left -= found
            resources = tuple(sorted(found))
            yield GroupTree(_inside(place, own.get(resources[0], "/")), 1, resources)
        elif kind == "cgroup2":
            folder = _inside(place, own.get("", "/"))
            folder = folder if folder == place else folder.parent
            found = left.intersection(_read(folder / "cgroup.subtree_control").split())
            left -= found
            yield GroupTree(folder, 2, tuple(sorted(found)))


def _own(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        _, resources, path = line.split(":", 2)
        yield from ((resource, path) for resource in resources.split(","))


def _inside(place: Path, path: str) -> Path:
    """The group of this process; in a container the path may be that of the host."""
    folder = place / path.lstrip("/")
    return folder if folder.is_dir() else place


def _limit(folder: Path, tree: GroupTree, resource: str, wanted: GroupLimits) -> bool:
    memory = "memory.max" if tree.version == 2 else "memory.limit_in_bytes"
    written = {
        MEMORY: {memory: f"{wanted.memory_bytes}"},
        PIDS: {"pids.max": f"{wanted.processes}"},
    }
    if wanted.cpus is not None:
        quota = max(int(wanted.cpus * PERIOD_US), 1000)
        alone = {"cpu.max": f"{quota} {PERIOD_US}"}
        both = {"cpu.cfs_period_us": f"{PERIOD_US}", "cpu.cfs_quota_us": f"{quota}"}
        written[CPU] = alone if tree.version == 2 else both
    try:
        for name, value in written.get(resource, {}).items():
            (folder / name).write_text(value, "ascii")
    except OSError:
        return False
    return True


def _sweep(folder: Path) -> None:
    """Remove what processes of ours have left that are gone."""
    for left in folder.glob(f"{PREFIX}*"):
        number = left.name.removeprefix(PREFIX).partition("-")[0]
        if number.isdigit() and not Path("/proc", number).exists():
            _removed(left)


def _removed(folder: Path) -> bool:
    with contextlib.suppress(OSError):
        folder.rmdir()
    return not folder.is_dir()


def _read(path: Path) -> str:
    try:
        return path.read_text("ascii", "replace")
    except OSError:
        return ""
