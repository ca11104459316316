"""One look at a directory by the Runner itself: which files there are and what is in them.

Symbolic links are recorded as links and never followed, so nothing outside the
root can count as work done inside it. Pipes, sockets and devices are not opened:
reading one could wait for ever. What is larger than anybody reads is known by its outside.
What cannot be read is said, and proves nothing.
"""

import hashlib
import os
import stat
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Literal

import msgspec

from pm_orchestrator.evidence.look.limits import LARGE, LookBudget, LookLimits
from pm_orchestrator.evidence.look.stat_cache import FileState, StatCache

# Bytecode is a by-product of running code; it is never what a task was about.
SKIPPED_ANYWHERE = frozenset({".git", "node_modules", "__pycache__"})
SKIPPED_PATHS = frozenset(
    {
        ".pm-orchestrator",
        ".claude/logs",
        ".claude/raw",
        ".claude/evidence",
        ".claude/repl.json",
    }
)
UNREADABLE = "unreadable"
OPEN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC

LINK = "link:"
"""Begins the digest of a symbolic link; the rest is where it leads."""

UNREAD = "unread:"
"""Begins the digest of a file that is too large to be read; the rest is its outside."""

Snapshot = dict[str, FileState]
OddityKind = Literal["unreadable", "special", "link_outside", "large"]


class Oddity(msgspec.Struct, frozen=True):
    """Something that is reported and proves nothing."""

    kind: OddityKind
    path: str


class Scan(msgspec.Struct, frozen=True, kw_only=True):
    """Everything one look found."""

    files: Snapshot
    oddities: tuple[Oddity, ...] = ()
    unseen: tuple[str, ...] = ()
    """Directories that could not be opened, with a slash at the end; nothing below is known."""
    root_gone: bool = False


class Rules(msgspec.Struct, frozen=True, kw_only=True):
    """What a look leaves out."""

    ignored: frozenset[str] = frozenset()
    """Git-ignored paths; a directory ends with a slash and stands for all below it."""
    named: frozenset[str] = frozenset()
    """Files that are looked at although they are ignored."""


class DirectoryWalk:
    """Looks at one directory, again and again; unchanged files are read once.

    `now_ns` is the wall clock, for the cache.
    """

    def __init__(
        self,
        root: Path,
        cache: StatCache,
        now_ns: Callable[[], int],
        limits: LookLimits | None = None,
    ) -> None:
        self._root = root
        self._prefix = f"{root}/"  # joined by hand: pathlib would be half of the time
        self._cache = cache
        self.now_ns = now_ns
        self._limits = limits or LookLimits()
        self._budget = LookBudget(str(root), self._limits)

    def scan(self, rules: Rules) -> Snapshot:
        """The files alone."""
        return self.look(rules).files

    def look(self, rules: Rules) -> Scan:
        """Everything that counts, and what is odd about it.

        Raises:
            PmError: E904 where there is more than one look may take.
        """
        self._budget = LookBudget(str(self._root), self._limits)
        found: Snapshot = {}
        odd: list[Oddity] = []
        unseen: list[str] = []
        pending = [""]
        while pending:
            folder = pending.pop()
            try:
                entries = list(os.scandir(self._prefix + folder))
            except FileNotFoundError:
                if not folder:
                    return Scan(files={}, root_gone=True)
                continue  # It was there a moment ago; whoever took it away is still at work.
            except OSError:
                unseen.append(folder)
                odd.append(Oddity("unreadable", folder or "."))
                continue
            self._budget.spend_folder(len(entries))
            pending += self._list(folder, entries, rules.ignored, found, odd)
        for path in rules.named:
            if path not in found and inside(path):
                self._add(path, found, odd)
        self._cache.forget_unseen()
        return Scan(
            files=found, oddities=tuple(sorted(odd, key=_by_path)), unseen=tuple(sorted(unseen))
        )

    def _list(
        self,
        folder: str,
        entries: list["os.DirEntry[str]"],
        ignored: frozenset[str],
        found: Snapshot,
        odd: list[Oddity],
    ) -> list[str]:
        """Add the files of one directory; returns the directories in it.

        Thousands of files come this way at every task, nearly all of them known. So the
        loop calls as little as it can.
        """
        folders: list[str] = []
        lstat, find, prefix = os.lstat, self._cache.find, self._prefix
        for entry in entries:
            path = folder + entry.name
            if entry.name in SKIPPED_ANYWHERE or path in ignored or path in SKIPPED_PATHS:
                continue
            if entry.is_dir(follow_symlinks=False):
                path += "/"
                if path not in ignored:
                    folders.append(path)
                continue
            try:
                about = lstat(prefix + path)
            except OSError:
                continue  # Gone between the listing and the look.
            # Only files are ever cached, and an inode never becomes something else.
            known = find(path, about)
            if known is not None:
                found[path] = known
            else:
                self._add_unknown(path, about, found, odd)
        return folders

    def _add(self, path: str, found: Snapshot, odd: list[Oddity]) -> None:
        """A file that only its name led to."""
        try:
            about = os.lstat(self._prefix + path)
        except OSError:
            return  # Named and never there.
        known = self._cache.find(path, about)
        if known is not None:
            found[path] = known
        else:
            self._add_unknown(path, about, found, odd)

    def _add_unknown(
        self, path: str, about: os.stat_result, found: Snapshot, odd: list[Oddity]
    ) -> None:
        full = self._prefix + path
        if stat.S_ISREG(about.st_mode):
            found[path] = self._read(path, full, about)
            if found[path].digest == UNREADABLE:
                odd.append(Oddity("unreadable", path))
            elif found[path].digest.startswith(UNREAD):
                odd.append(Oddity("large", path))
        elif stat.S_ISLNK(about.st_mode):
            try:
                target, leads_out = str(Path(full).readlink()), _leads_out(self._root, full)
            except OSError:
                return  # Gone between the listing and the look.
            mode = stat.S_IMODE(about.st_mode)
            found[path] = FileState(LINK + target, len(os.fsencode(target)), mode)
            if leads_out:
                odd.append(Oddity("link_outside", path))
        elif not stat.S_ISDIR(about.st_mode):
            odd.append(Oddity("special", path))

    def _read(self, path: str, full: str, about: os.stat_result) -> FileState:
        read_at_ns = self.now_ns()
        permissions = stat.S_IMODE(about.st_mode)
        if about.st_size > LARGE:
            return _from_outside(about)
        try:
            handle = os.open(full, OPEN)
        except OSError:
            return FileState(UNREADABLE, about.st_size, permissions)
        with os.fdopen(handle, "rb") as file:
            opened = os.fstat(handle)
            if not stat.S_ISREG(opened.st_mode):
                return FileState(UNREADABLE, about.st_size, permissions)
            try:
                digest = hashlib.sha256()
                if not self._budget.read(file, digest):
                    return _from_outside(opened)
            except OSError:
                return FileState(UNREADABLE, about.st_size, permissions)
        state = FileState(digest.hexdigest(), opened.st_size, permissions)
        self._cache.keep(path, opened, read_at_ns, state)
        return state


def _from_outside(about: os.stat_result) -> FileState:
    """What tells a file that nobody reads from another; the kernel alone sets its change time."""
    outside = (about.st_size, about.st_mtime_ns, about.st_ctime_ns, about.st_ino)
    digest = UNREAD + "-".join(map(str, outside))
    return FileState(digest, about.st_size, stat.S_IMODE(about.st_mode))


def under(path: str, ignored: Iterable[str]) -> bool:
    """Whether `path` is one of `ignored`, or below a directory among them."""
    known = ignored if isinstance(ignored, frozenset) else frozenset(ignored)
    if path in known:
        return True
    return any(path[: i + 1] in known for i, letter in enumerate(path) if letter == "/")


def inside(path: str) -> bool:
    """Whether a name from outside can be a file below the root, and one that counts."""
    parts = path.split("/")
    if not path or "\0" in path or {"", ".", ".."} & set(parts):
        return False
    prefixes = {"/".join(parts[: n + 1]) for n in range(len(parts))}
    return not SKIPPED_ANYWHERE & set(parts) and not SKIPPED_PATHS & prefixes


def _leads_out(root: Path, link: str) -> bool:
    # A circle leads nowhere, and is not followed to its end.
    return not Path(os.path.realpath(link)).is_relative_to(os.path.realpath(root))


def _by_path(oddity: Oddity) -> str:
    return oddity.path
