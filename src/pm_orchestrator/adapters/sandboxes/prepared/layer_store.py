"""Layers on disk: what was installed for a project's lock files, once, by their content.

They belong to the user and not to a project: two checkouts with the same lock files share one.
A layer is complete where it lies: it is built beside its place, and moved there as a whole.
"""

import os
import re
import shutil
import time
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

import msgspec

from pm_orchestrator.domain.record import MalformedRecordError, Record, from_json, to_file
from pm_orchestrator.ports.sandbox import HostDirectory

RECORD, TREE = "layer.json", "tree"
KEY = re.compile(r"[0-9a-f]{16,64}")
UNFINISHED = re.compile(r"building-(\d+)-.*")
"""With the number of the process that builds there."""
DAY_S = 86_400.0


class Layer(Record, frozen=True, kw_only=True):
    """What the commands left, and what it was made from."""

    key: str
    runtime: str
    directories: tuple[str, ...]
    """Relative to the project."""
    size: int
    """Bytes on disk."""


class LayerPruning(Record, frozen=True, kw_only=True):
    """What was taken away of the layers, and what is left."""

    pruned: int
    freed_bytes: int
    kept: int
    kept_bytes: int


class LayerStore:
    """The layers of a user, in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def find(self, key: str) -> Layer | None:
        """The layer with this key, which counts as used from now on."""
        place = self._folder / key
        layer = _read(place)
        if layer is not None:
            os.utime(place)
        return layer

    def building_place(self) -> Path:
        """An empty directory in which one can be built; see `keep` and `give_up`."""
        self._folder.mkdir(parents=True, exist_ok=True)
        number = time.monotonic_ns()
        place = self._folder / f"building-{os.getpid()}-{number}"
        (place / TREE).mkdir(parents=True)
        return place / TREE

    def keep(self, built: Path, layer: Layer) -> Layer | None:
        """Make what was built at a `building_place` the layer; None where there is nothing.

        What was built there was told by programs of others: a name counts only where it is a
        real directory.
        """
        place = built.parent
        kept = place / "kept"
        there = tuple(name for name in layer.directories if _is_real_folder(built, name))
        if not there:
            return None
        for name in there:
            (kept / TREE / name).parent.mkdir(parents=True, exist_ok=True)
            (built / name).rename(kept / TREE / name)
        done = msgspec.structs.replace(layer, directories=there, size=_size(kept))
        (kept / RECORD).write_bytes(to_file(done))
        final = self._folder / layer.key
        if final.exists():
            final.rename(place / "replaced")
        kept.rename(final)
        self.give_up(built)
        return done

    def give_up(self, built: Path) -> None:
        """Nothing of a `building_place` is left."""
        shutil.rmtree(built.parent, ignore_errors=True)

    def directories(self, layer: Layer) -> tuple[HostDirectory, ...]:
        """How they are seen: at their own places, and what is written to them thrown away."""
        tree = self._folder / layer.key / TREE
        return tuple(
            HostDirectory(source=tree / name, at=name, writable=True) for name in layer.directories
        )

    def prune(self, days: int, *, dry_run: bool = False) -> LayerPruning:
        """Take away what was not used for so many days, and what a dead process left."""
        until = time.time() - days * DAY_S
        gone = kept = freed = left = 0
        for place in self._places():
            layer = _read(place)
            size = _size(place) if layer is None else layer.size
            if _is_abandoned(place) or (layer is not None and place.stat().st_mtime < until):
                gone, freed = gone + 1, freed + size
                if not dry_run:
                    shutil.rmtree(place, ignore_errors=True)
            else:
                kept, left = kept + 1, left + size
        return LayerPruning(pruned=gone, freed_bytes=freed, kept=kept, kept_bytes=left)

    def _places(self) -> Iterator[Path]:
        if self._folder.is_dir():
            names = (each for each in sorted(self._folder.iterdir()) if each.is_dir())
            yield from (p for p in names if KEY.fullmatch(p.name) or UNFINISHED.fullmatch(p.name))


def without(
    directories: Iterable[HostDirectory], names: Iterable[str]
) -> tuple[HostDirectory, ...]:
    """Those that are neither one of `names`, nor in one, nor around one."""
    taken = [PurePosixPath(name) for name in names]
    return tuple(
        each
        for each in directories
        if not any(
            PurePosixPath(each.at).is_relative_to(name) or name.is_relative_to(each.at)
            for name in taken
        )
    )


def _read(place: Path) -> Layer | None:
    try:
        return from_json(Layer, (place / RECORD).read_bytes(), str(place))
    except (OSError, MalformedRecordError):
        return None


def _is_abandoned(place: Path) -> bool:
    """Whether nobody builds here any more, or what is here is no layer."""
    building = UNFINISHED.fullmatch(place.name)
    return not Path("/proc", building[1]).exists() if building else _read(place) is None


def _is_real_folder(root: Path, name: str) -> bool:
    path = PurePosixPath(name)
    if path.is_absolute() or not path.parts or ".." in path.parts or ".git" in path.parts:
        return False
    at = root
    for part in path.parts:
        at /= part
        if at.is_symlink() or not at.is_dir():
            return False
    return True


def _size(folder: Path) -> int:
    total = 0
    for at, _, names in os.walk(folder):
        for name in names:
            total += os.lstat(os.path.join(at, name)).st_size  # noqa: PTH118 - 100,000 of them
    return total
