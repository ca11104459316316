"""Which programs a search path leads to before a task, and which only after it.

A name that is put into a folder of the path becomes everybody's `make` or `python3`. Outside
of the project nobody has to put any. In the project tools are installed in the course of
honest work, so only those are newcomers there that stand before a program of the same name.
"""

import os
from pathlib import Path

import msgspec

OF_PACKAGES = "node_modules/.bin"
"""Which npm searches first, whatever the path is."""


class FolderNames(msgspec.Struct, frozen=True):
    """One folder, with how it looked from outside."""

    about: tuple[int, ...]
    names: frozenset[str]


class ProgramFolders(msgspec.Struct, frozen=True, kw_only=True):
    """The folders of a search path in their order."""

    root: Path
    folders: dict[Path, FolderNames]

    @staticmethod
    def of(root: Path, search_path: str) -> "ProgramFolders":
        """Note the names in each of them."""
        places = [root / OF_PACKAGES]
        # An empty entry would mean the working directory, in which no program is looked for.
        places += [root / folder for folder in search_path.split(os.pathsep) if folder]
        # On many systems /bin is /usr/bin.
        looked: dict[tuple[int, ...], FolderNames] = {}
        folders: dict[Path, FolderNames] = {}
        for place in places:
            about = _about(place)
            if about not in looked:
                looked[about] = _look(place)
            folders[place] = looked[about]
        return ProgramFolders(root=root, folders=folders)

    def newcomers(self) -> tuple[Path, ...]:
        """What came since and is to be left out of account."""
        known = frozenset(name for noted in self.folders.values() for name in noted.names)
        found: list[Path] = []
        for place, noted in self.folders.items():
            if _about(place) == noted.about:
                continue
            new = _look(place).names - noted.names
            if place.is_relative_to(self.root):
                new &= known
            found += (place / name for name in sorted(new))
        return tuple(found)


def _look(folder: Path) -> FolderNames:
    about = _about(folder)
    try:
        names = os.listdir(folder)  # noqa: PTH208 - thousands, and nothing else is asked of them
    except OSError:
        names = []
    return FolderNames(about, frozenset(names))


def _about(folder: Path) -> tuple[int, ...]:
    """Equal while no name came or went."""
    try:
        about = folder.stat()
    except OSError:
        return ()
    return (about.st_ino, about.st_dev, about.st_mtime_ns, about.st_ctime_ns)
