"""What version control leaves out, around one task: small files are held, all are compared.

A gate reads `.env`, a local `conftest.py` or a start file of an environment as it reads
any other, so an edit there can decide it. Held in memory and nowhere else: what is ignored
often is a secret. What comes of running code, and what tools install, is not held; that it
was touched shows by its change time, which only the kernel sets.
"""

import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

import msgspec
from msgspec.structs import replace

from pm_orchestrator.domain.judging.outcome import FileChange
from pm_orchestrator.evidence.look.differences import printable
from pm_orchestrator.evidence.look.snapshot import OPEN, SKIPPED_PATHS
from pm_orchestrator.evidence.look.toolchains import (
    INSTALLED,
    Toolchains,
    changed_in_toolchains,
    start_files,
)
from pm_orchestrator.ports.tree_views import Patch, PatchedFile

LARGEST = 256 * 1024
MOST_BYTES = 16 * 1024**2
MOST_FILES = 5_000
MOST_NAMES = 50_000
PATIENCE_S = 2.0
LOOK_S = 10.0
"""At what tools have installed, before gates that take longer."""
MARGIN_NS = 20_000_000
"""File systems take their time from a clock that ticks a hundred times a second."""
BY_PRODUCTS = frozenset(
    {"__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", ".cache"}
    | {".tox", ".nox", ".next", ".nuxt", ".turbo", ".parcel-cache", ".gradle", ".nyc_output"}
    | {"target", "dist", "build", "out", "htmlcov", "coverage", ".coverage", ".eggs", "logs"}
)
"""Names of what running code leaves behind."""
BY_PRODUCT_SUFFIXES = (".pyc", ".pyo", ".log", ".egg-info", ".tsbuildinfo", ".o", ".class")
GIT = ".git/"
TOLD = ("config", "info/exclude", "info/attributes")
"""What git is told on this machine alone."""
INDEX = "index"
OF_GIT = ("HEAD", INDEX, "packed-refs", "refs/heads/", "refs/tags/", *TOLD)
"""What says where a repository stands; objects are only ever added."""


class KeptIgnored(msgspec.Struct, frozen=True, kw_only=True):
    """The ignored files just before the task."""

    since_ns: int
    files: dict[str, PatchedFile]
    """The small ones, with what was in them."""
    others: frozenset[str]
    """Those that are there, and not held."""
    toolchains: Toolchains

    @property
    def names(self) -> set[str]:
        return {*self.files, *self.others}


class IgnoredDifferences(msgspec.Struct, frozen=True, kw_only=True):
    """What became of them."""

    changes: tuple[FileChange, ...] = ()
    toolchain: tuple[FileChange, ...] = ()
    """Of what tools have installed: changed files, and new ones that are loaded unasked."""
    given_back: dict[str, PatchedFile] = msgspec.field(default_factory=dict[str, PatchedFile])
    """What has to be there to see them as they were."""
    gone: tuple[str, ...] = ()
    """What must not be there."""
    unknown: tuple[str, ...] = ()
    """Changed, and nobody knows from what."""

    made: tuple[str, ...] = ()
    """What running code left behind, files and whole folders."""
    told_to_git: Patch = Patch()
    """What git was told in the course of the task taken back: it is in nobody's commit."""


def keep_ignored(
    root: Path, ignored: Iterable[str], nested: Iterable[str], now_ns: int
) -> KeptIgnored:
    """Hold the small ignored files, those of repositories inside the project among them."""
    files: dict[str, PatchedFile] = {}
    others: set[str] = set()
    room, installed = MOST_BYTES, Toolchains.in_project(root, ignored)
    walked = (*_walk(root, [*ignored, GIT]), *nested, *start_files(root, installed))
    for path in walked:
        held = None
        if len(files) < MOST_FILES and room > 0:
            held = _hold(root, path)
        if held is None:
            others.add(path)
        else:
            room -= len(held.content)
            files[path] = held
    return KeptIgnored(
        since_ns=now_ns - MARGIN_NS, files=files, others=frozenset(others), toolchains=installed
    )


def compare_ignored(
    root: Path,
    ignored: Iterable[str],
    kept: KeptIgnored,
    known: Callable[[str], bool],
    *,
    with_toolchains: bool,
) -> IgnoredDifferences:
    """What was done to ignored files since; `known` are those that are no longer our business."""
    changes: list[FileChange] = []
    back: dict[str, PatchedFile] = {}
    gone: list[str] = []
    unknown: list[str] = []
    before = {path for path in kept.names if not known(path)}
    there = {path for path in _walk(root, [*ignored, GIT]) if not known(path)}
    there |= {path for path in before - there if os.path.lexists(root / path)}
    for path in sorted(before | there):
        about = _about(root / path)
        if about is not None and about.st_ctime_ns < kept.since_ns:
            continue
        old = kept.files.get(path)
        if about is not None and old is not None and _hold(root, path) == old:
            continue
        kind = "deleted" if about is None else "modified" if path in before else "created"
        if not path.startswith(GIT):
            size = 0 if about is None else about.st_size
            changes.append(FileChange(path=printable(path), kind=kind, size=size))
        if old is not None:
            back[path] = old
        elif path not in before:
            gone.append(path)
        elif not path.startswith(GIT):
            unknown.append(path)
    tools: tuple[FileChange, ...] = ()
    if with_toolchains:
        found = changed_in_toolchains(root, kept.toolchains, kept.since_ns, LOOK_S)
        tools = found.changes
        gone += (c.path for c in tools if c.kind == "created")
        unknown += (c.path for c in tools if c.kind != "created" and c.path not in back)
        unknown += found.unseen
        named = {change.path for change in tools}
        changes = [change for change in changes if change.path not in named]
    return IgnoredDifferences(
        changes=tuple(changes),
        toolchain=tools,
        given_back=back,
        gone=tuple(gone),
        unknown=tuple(unknown),
        told_to_git=_told_to_git(root, back, gone),
    )


def _told_to_git(root: Path, back: Mapping[str, PatchedFile], gone: Iterable[str]) -> Patch:
    told = frozenset(GIT + name for name in TOLD)
    files = {path: file for path, file in back.items() if path in told}
    old, now = back.get(GIT + INDEX), _hold(root, GIT + INDEX)
    if old is not None and now is not None:
        from pm_orchestrator.evidence.look.git_index import unhidden

        # What was put into it is the work; that a file is not to be looked at is not.
        content = unhidden(now.content, old.content)
        if content != now.content:
            files[GIT + INDEX] = replace(now, content=content)
    return Patch(files=files, gone=tuple(path for path in gone if path in told))


def is_by_product(name: str) -> bool:
    """Whether a name is that of something that running code leaves behind."""
    return name in BY_PRODUCTS or name.endswith(BY_PRODUCT_SUFFIXES)


def _walk(root: Path, ignored: Iterable[str]) -> Iterator[str]:
    """The ignored files that count, by path; what tools have installed is not entered."""
    until, seen = time.monotonic() + PATIENCE_S, 0
    pending = list(ignored)
    while pending and seen < MOST_NAMES and time.monotonic() < until:
        path = pending.pop()
        parts = path.rstrip("/").split("/")
        if not _counts(path, parts):
            continue
        seen += 1
        if not path.endswith("/"):
            yield path
            continue
        try:
            with os.scandir(root / path) as entries:
                pending += (
                    path + e.name + ("/" if e.is_dir(follow_symlinks=False) else "")
                    for e in entries
                )
        except OSError:
            continue


def _counts(path: str, parts: list[str]) -> bool:
    if parts[0] == ".git":
        inside = path.removeprefix(GIT)
        return not inside or any(inside.startswith(n) or n.startswith(inside) for n in OF_GIT)
    if any(is_by_product(part) or part in INSTALLED or part == ".git" for part in parts):
        return False
    return not any("/".join(parts[: n + 1]) in SKIPPED_PATHS for n in range(len(parts)))


def _hold(root: Path, path: str) -> PatchedFile | None:
    """A small plain file or a link as it is; None for anything else."""
    full = root / path
    try:
        about = full.lstat()
        if stat.S_ISLNK(about.st_mode):
            return PatchedFile(content=os.fsencode(full.readlink()), link=True)
        if not stat.S_ISREG(about.st_mode) or about.st_size > LARGEST:
            return None
        handle = os.open(full, OPEN)
    except OSError:
        return None
    try:
        content = os.read(handle, LARGEST + 1) if stat.S_ISREG(os.fstat(handle).st_mode) else None
    except OSError:
        return None
    finally:
        os.close(handle)
    if content is None or len(content) > LARGEST:
        return None
    return PatchedFile(content=content, mode=stat.S_IMODE(about.st_mode))


def _about(path: Path) -> os.stat_result | None:
    try:
        return path.lstat()
    except OSError:
        return None
