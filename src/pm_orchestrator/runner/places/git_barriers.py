"""What an executor can put into git's way, taken out of it again.

Git opens its own files and the lists of what to ignore wherever they stand. A pipe in
such a place makes it, and the user's own git, wait for ever; a locked repository cannot
be used at all. A pipe has no content, so nothing is lost with it.
"""

import os
import stat
from collections.abc import Iterable
from pathlib import Path

from pm_orchestrator.evidence.guard.way_to_records import give_back_access, lacks_access

READ_BY_GIT = frozenset({".gitignore", ".gitattributes", ".gitmodules"})

OUR_REFS = "pm"


def reopen_repository(repository: Path) -> tuple[str, ...]:
    """Make `.git` usable again; returns what had to be changed, relative to the project."""
    changed: list[Path] = []
    if lacks_access(repository):
        give_back_access(repository)
        changed.append(repository)
    # Sockets stay: a monitor of the user's own may listen there.
    pipes = [*_pipes(repository), *_pipes(repository / "info")]
    for folder, below, _ in os.walk(repository / "refs"):
        pipes += _pipes(Path(folder))
        if OUR_REFS in below and Path(folder) == repository / "refs":
            # One for every task ever, and no call of ours lists them.
            below.remove(OUR_REFS)
    changed += pipes
    for pipe in pipes:
        pipe.unlink(missing_ok=True)
    return tuple(path.relative_to(repository.parent).as_posix() for path in changed)


def barriers(special: Iterable[str]) -> tuple[str, ...]:
    """Of files that are no ordinary ones, those that git would open."""
    return tuple(path for path in special if path.rsplit("/", 1)[-1] in READ_BY_GIT)


def remove_barriers(root: Path, paths: Iterable[str]) -> None:
    """Take them away, unless they have become ordinary files meanwhile."""
    for path in paths:
        place = root / path
        if os.path.lexists(place) and not stat.S_ISREG(place.lstat().st_mode):
            place.unlink()


def excludes(root: Path) -> tuple[int, ...] | None:
    """How git's own lists look from outside; None where the repository is not the project's."""
    signature: list[int] = []
    for name in ("config", "info/exclude"):
        try:
            about = os.lstat(root / ".git" / name)
        except FileNotFoundError:
            signature.append(0)
        except OSError:
            return None
        else:
            signature += (about.st_ino, about.st_size, about.st_mtime_ns, about.st_ctime_ns)
    return tuple(signature) if (root / ".git").is_dir() else None


def _pipes(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            return [Path(e.path) for e in entries if _is_pipe(e)]
    except OSError:
        return []


def _is_pipe(entry: os.DirEntry[str]) -> bool:
    ordinary = entry.is_symlink() or entry.is_dir() or entry.is_file()
    return not ordinary and stat.S_ISFIFO(entry.stat(follow_symlinks=False).st_mode)
