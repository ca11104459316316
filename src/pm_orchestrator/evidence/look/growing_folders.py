"""Folders that get a new name with every task, listed again only where one was added."""

from pathlib import Path

from pm_orchestrator.evidence.look.plain_open import about, names_in

Times = tuple[int, int]


class GrowingFolders:
    """What is in them, the latest last: their names are numbers and dates.

    Who adds, takes away or renames changes the folder's own times, and nobody but the kernel
    sets the second of them.
    """

    def __init__(self) -> None:
        self._known: dict[Path, tuple[Times, list[str]]] = {}

    def names(self, folder: Path) -> list[str]:
        """All names in it; none where it cannot be listed."""
        seen = about(folder)
        if seen is None:
            return []
        times = (seen.st_mtime_ns, seen.st_ctime_ns)
        known = self._known.get(folder)
        if known is not None and known[0] == times:
            return known[1]
        try:
            # A longer number is a later one.
            names = sorted(names_in(folder, ""), key=len)
        except OSError:
            return []
        self._known[folder] = (times, names)
        return names

    def latest(self, folder: Path, count: int, *endings: str) -> list[str]:
        """The last of them with one of these endings."""
        found: list[str] = []
        for name in reversed(self.names(folder)):
            if name.endswith(endings or ("",)):
                found.append(name)
            if len(found) == count:
                break
        return found[::-1]
