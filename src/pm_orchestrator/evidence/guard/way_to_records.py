"""The way to our records, cleared after an executor: it may have barred it.

A pipe in the place of a file would make a reader wait for ever, a locked directory
or a file in the place of a directory would keep the Runner from closing its log. What
stands in the way is removed or put aside, and permissions of ours are given back. All
of it is named: whoever did that altered the records.
"""

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

DIRECTORY_ACCESS = stat.S_IRWXU
FILE_ACCESS = stat.S_IRUSR | stat.S_IWUSR
ASIDE = ".put-aside"


def clear_way(root: Path, records: Iterable[Path], shared: Iterable[Path] = ()) -> tuple[Path, ...]:
    """Make `records` below `root` reachable again; returns what had to be changed.

    `root` and the directories `shared` also hold files of others, which stay as they are.
    """
    # Around every executor and gate, so pathlib's own ways would be most of the price.
    below = f"{root}/"
    wanted = [path for path in records if str(path).startswith(below)]
    folders = {root}
    for path in wanted:
        up = path.parent
        while up not in folders:
            folders.add(up)
            up = up.parent
    changed: list[Path] = []
    for folder in sorted(folders, key=lambda path: len(path.parts)):
        changed += _open_directory(folder)
    for folder in folders - {root, *shared}:
        changed += _remove_special(folder)
    for path in wanted:
        changed += _clear_file(path)
    return tuple(changed)


def give_back_access(folder: Path) -> None:
    """Everything below `folder` can be read and written again by its owner."""
    pending = [folder]
    while pending:
        current = pending.pop()
        _allow(current, DIRECTORY_ACCESS)
        try:
            entries = list(os.scandir(current))
        except OSError:
            continue  # Not ours to open.
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                pending.append(Path(entry.path))
            elif entry.is_file(follow_symlinks=False):
                _allow(Path(entry.path), FILE_ACCESS)


def make_again(folders: Iterable[Path]) -> None:
    """Have directories that were there before; a file in the place of one is left to others."""
    for folder in folders:
        if not os.path.lexists(folder):
            folder.mkdir(parents=True)


def is_open_to_us(folder: Path) -> bool:
    """Whether a directory is there, or could be made again, and may be written to."""
    for place in (folder, *folder.parents):
        if os.path.lexists(place):
            return place.is_dir() and os.access(place, os.W_OK | os.X_OK)
    return False


def put_aside(path: Path) -> None:
    """Have what is there, if anything is, under another name beside it."""
    number = 1
    while os.path.lexists(aside := path.with_name(f"{path.name}{ASIDE}-{number}")):
        number += 1
    if os.path.lexists(path):
        path.rename(aside)


def lacks_access(folder: Path) -> bool:
    """Whether a directory is there that its owner may no longer use."""
    try:
        about = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(about.st_mode) and _lacks(about, DIRECTORY_ACCESS)


def _open_directory(folder: Path) -> Iterator[Path]:
    try:
        is_directory = stat.S_ISDIR(folder.stat().st_mode)
    except OSError:
        if not os.path.lexists(folder):
            return
        is_directory = False
    if not is_directory:
        put_aside(folder)
        yield folder
        return
    if _allow(folder, DIRECTORY_ACCESS):
        yield folder


def _remove_special(folder: Path) -> Iterator[Path]:
    """Whatever their names: a lock or a draft of ours may be waited for as well."""
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return  # Gone, which is somebody else's finding.
    for entry in entries:
        if not (entry.is_symlink() or entry.is_dir() or entry.is_file()):
            Path(entry.path).unlink()
            yield Path(entry.path)


def _clear_file(path: Path) -> Iterator[Path]:
    try:
        about = path.lstat()
    except OSError:
        return  # Gone, which is somebody else's finding.
    if stat.S_ISDIR(about.st_mode):
        put_aside(path)
        yield path
    elif not (stat.S_ISREG(about.st_mode) or stat.S_ISLNK(about.st_mode)):
        path.unlink()
        yield path
    elif stat.S_ISREG(about.st_mode) and _allow(path, FILE_ACCESS):
        yield path


def _allow(path: Path, access: int) -> bool:
    """Give the owner this access; whether it was missing."""
    try:
        about = path.stat()
        if not _lacks(about, access):
            return False
        path.chmod(stat.S_IMODE(about.st_mode) | access)
    except OSError:
        return False  # Not ours to change; whoever needs it will say so.
    return True


def _lacks(about: os.stat_result, access: int) -> bool:
    return about.st_mode & access != access
