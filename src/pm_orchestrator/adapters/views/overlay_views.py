"""Views made by the kernel's overlay: no file is copied, and nothing written comes through.

The difference to the directory is a layer of its own: files, and for what is gone a
character device 0/0, as the overlay itself marks it. Caches of tools count as gone in
every view: what is in them was computed from another tree, or put there to be believed.
"""

import asyncio
import os
import stat
from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from typing_extensions import override

from pm_orchestrator.adapters.processes.directory_view import LAYER, UPPER, WORK
from pm_orchestrator.adapters.reporters.interpreters import package_folders, reporter_files
from pm_orchestrator.adapters.reporters.node_programs import (
    PRELOAD,
    boot_text,
    node_programs,
    preload_files,
    start_file,
)
from pm_orchestrator.adapters.views.copies import remove
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.ports.process import Command, CommandRunner, DirectoryView
from pm_orchestrator.ports.tree_views import Patch, PatchedFile, TreeView, TreeViews

VIEW_PREFIX = "pm-view-"
"""Followed by the number of its process, so that one that was left behind is known."""
CACHES = frozenset({"__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache"})
INSTALLED = frozenset({".git", "node_modules", ".venv", "venv", ".tox", ".nox"})
"""Not searched for caches: large, and no part of the work."""
MOST_DIRECTORIES = 50_000
MOST_WRITTEN = 1000
LONGEST_REPORT = 64 * 1024**2
PROBE_S = 10.0


def view_places(variables: Mapping[str, str]) -> tuple[Path, ...]:
    """Where views may be made, best first; the kernel does not accept every file system."""
    temporary = variables.get("TMPDIR") or "/tmp"
    return tuple(dict.fromkeys((Path(temporary).resolve(), Path("/tmp"), Path("/dev/shm"))))


class OverlayViews(TreeViews):
    """Views below a temporary directory that the kernel accepts for it."""

    def __init__(
        self, commands: CommandRunner, places: tuple[Path, ...], search_path: str = ""
    ) -> None:
        self._commands = commands
        self._places = places
        self._search_path = search_path
        self._grounds: dict[Path, _Ground] = {}

    @override
    def of(self, root: Path, patch: Patch) -> AbstractAsyncContextManager[TreeView | None]:
        return self._view(root, patch)

    @asynccontextmanager
    async def _view(self, root: Path, patch: Patch) -> AsyncGenerator[TreeView | None]:
        import tempfile

        ground = await self._ground_for(root)
        if ground is None:
            yield None
            return
        folder = Path(tempfile.mkdtemp(prefix=f"{VIEW_PREFIX}{os.getpid()}-", dir=ground.place))
        try:
            yield await asyncio.to_thread(_make, folder, root, patch, ground)
        finally:
            await asyncio.to_thread(remove, folder)

    async def _ground_for(self, root: Path) -> "_Ground | None":
        """Where a view of `root` can be made; tried once, as it stays so."""
        if _has_mounts(root):
            return None
        known = self._grounds.get(root)
        for place in self._places if known is None else ():
            if place.is_dir() and not place.is_relative_to(root):
                known = await self._tried(root, place)
                if known is not None:
                    self._grounds[root] = known
                    break
        return known

    async def _tried(self, root: Path, place: Path) -> "_Ground | None":
        """What can be seen with layers from `place`: all of it at best, `root` at least."""
        packages = package_folders(root, self._search_path)
        nodes = node_programs(root, self._search_path)
        places = dict.fromkeys((*packages, *(node.parent for node in nodes)))
        outside = tuple(at for at in places if not at.is_relative_to(root))
        if await self._works((root, *outside), place):
            return _Ground(place, packages, nodes)
        if not await self._works((root,), place):
            return None
        shut = [at for at in outside if not await self._works((at,), place)]
        return _Ground(
            place,
            tuple(at for at in packages if at not in shut),
            tuple(node for node in nodes if node.parent not in shut),
        )

    async def _works(self, directories: tuple[Path, ...], place: Path) -> bool:
        import tempfile

        folder = Path(tempfile.mkdtemp(prefix=f"{VIEW_PREFIX}{os.getpid()}-", dir=place))
        views = tuple(
            with_scratch(DirectoryView(at=at, scratch=folder / str(number)))
            for number, at in enumerate(directories)
        )
        cwd = directories[0]
        probe = Command(argv=("/bin/true",), cwd=cwd, env={}, timeout_s=PROBE_S, views=views)
        try:
            await self._commands.run(probe)
        except PmError:
            return False
        else:
            return True
        finally:
            await asyncio.to_thread(remove, folder)


class _Ground(NamedTuple):
    """What views of one directory stand on."""

    place: Path
    packages: tuple[Path, ...]
    """The package folders over which something can be laid."""
    nodes: tuple[Path, ...]
    """The programs in whose place something can be laid."""


def _make(folder: Path, root: Path, patch: Patch, ground: _Ground) -> "_OverlayView":
    # Who becomes somebody else in a gate still has to find its node.
    folder.chmod(0o711)
    report = folder / "report"
    report.mkdir()
    outside = dict.fromkeys((*ground.packages, *(node.parent for node in ground.nodes)))
    hidden = _by_folder(patch.hidden)
    places = [root, *(at for at in (*outside, *hidden) if not at.is_relative_to(root))]
    places = list(dict.fromkeys(places))
    scratch = {at: folder / f"scratch{number}" for number, at in enumerate(places)}
    laid: dict[Path, dict[str, PatchedFile]] = {at: {} for at in places}
    for at in ground.packages:
        _lay_at(laid, at, reporter_files(report))
    scripts = folder / "node"
    scripts.mkdir()
    for name, content in preload_files().items() if ground.nodes else ():
        (scripts / name).write_bytes(content)
    for number, node in enumerate(ground.nodes):
        boot = scripts / f"{number}.cjs"
        boot.write_bytes(boot_text(scripts / PRELOAD, report, node))
        at = _place_of(laid, node.parent)
        # In the namespace the directory itself is still there, below what is laid over it.
        real = scratch[at] / f"{LAYER}1" / node.relative_to(at)
        _lay_at(laid, node.parent, {node.name: start_file(real, boot)})
    gone = {at: list(names) for at, names in hidden.items() if at in laid}
    own = (p.relative_to(root).as_posix() for p in patch.hidden if p.is_relative_to(root))
    gone[root] = [*patch.gone, *own, *_caches(root)]
    laid[root] = {**patch.files, **laid[root]}
    views: list[DirectoryView] = []
    for number, at in enumerate(places):
        layer = folder / f"laid{number}"
        lay(layer, at, Patch(files=laid[at], gone=tuple(gone.get(at, ()))))
        views.append(with_scratch(DirectoryView(at=at, layers=(layer,), scratch=scratch[at])))
    views += _instead(folder, patch.elsewhere)
    for private in (scratch[root], folder / "laid0"):
        private.chmod(0o700)
    return _OverlayView(tuple(views), report)


def _instead(folder: Path, files: Mapping[Path, bytes]) -> Iterator[DirectoryView]:
    """Single files as they are to be seen, over whatever their directories are."""
    for number, (path, content) in enumerate(files.items()):
        if not path.is_file():
            continue
        shown = folder / f"file{number}"
        shown.write_bytes(content)
        shown.chmod(stat.S_IMODE(path.stat().st_mode))
        yield DirectoryView(at=path, layers=(shown,), scratch=folder)


def _lay_at(
    laid: dict[Path, dict[str, PatchedFile]], at: Path, files: Mapping[str, PatchedFile]
) -> None:
    """Add files of the folder `at` to what is laid over the directory it is in."""
    place = _place_of(laid, at)
    for name, file in files.items():
        laid[place][(at / name).relative_to(place).as_posix()] = file


def _place_of(laid: Mapping[Path, object], at: Path) -> Path:
    return at if at in laid else next(place for place in laid if at.is_relative_to(place))


def _by_folder(paths: Iterable[Path]) -> dict[Path, list[str]]:
    """Names by the folder they are in."""
    names: dict[Path, list[str]] = {}
    for path in paths:
        names.setdefault(path.parent, []).append(path.name)
    return names


class _OverlayView(TreeView):
    def __init__(self, directories: tuple[DirectoryView, ...], report: Path) -> None:
        self._directories = directories
        self._report = report

    @property
    @override
    def directories(self) -> tuple[DirectoryView, ...]:
        return self._directories

    @override
    def written(self) -> tuple[str, ...]:
        upper = self._directories[0].scratch / UPPER
        found: list[str] = []
        for folder, names, files in os.walk(upper):
            names[:] = [name for name in names if name not in CACHES]
            found += (f"{Path(folder, name).relative_to(upper)}/" for name in names)
            found += (str(Path(folder, name).relative_to(upper)) for name in files)
            if len(found) >= MOST_WRITTEN:
                break
        return tuple(sorted(found)[:MOST_WRITTEN])

    @override
    def reported(self) -> bytes:
        found = b""
        for path in sorted(self._report.glob("*.jsonl")):
            found += _read(path, LONGEST_REPORT - len(found))
            if len(found) >= LONGEST_REPORT:
                break
        if found:
            return found
        from pm_orchestrator.adapters.reporters.junit_files import junit_lines

        # No runner could be asked itself; what one wrote while the gate ran says the same.
        return junit_lines(self._directories[0].scratch / UPPER)


def with_scratch(view: DirectoryView) -> DirectoryView:
    """The same view, with what it needs in its scratch directory."""
    layers = (f"{LAYER}{number}" for number in range(len(view.layers) + 1))
    for name in (*layers, UPPER, WORK):
        (view.scratch / name).mkdir(parents=True)
    return view


def lay(layer: Path, root: Path, patch: Patch) -> None:
    """Write the difference as a layer."""
    layer.mkdir()
    for path, file in patch.files.items():
        _put(layer, root, path, file)
    for path in patch.gone:
        _take(layer, root, path)


def _put(layer: Path, root: Path, path: str, file: PatchedFile) -> None:
    _directories(layer, root, path)
    target = layer / path
    if file.link:
        target.symlink_to(os.fsdecode(file.content))
        return
    target.write_bytes(file.content)
    target.chmod(stat.S_IMODE(file.mode) or 0o644)


def _take(layer: Path, root: Path, path: str) -> None:
    target = layer / path
    parents = (layer / parent for parent in Path(path).parents)
    if os.path.lexists(target) or any(p.is_symlink() or p.is_file() for p in parents):
        # Something else has its name already, or the name above it.
        return
    _directories(layer, root, path)
    os.mknod(target, stat.S_IFCHR, os.makedev(0, 0))


def _directories(layer: Path, root: Path, path: str) -> None:
    """The directories above a path, as open or closed as those they are laid over."""
    for parent in reversed(Path(path).parents[:-1]):
        made = layer / parent
        if not made.is_dir():
            made.mkdir()
            below = root / parent
            if below.is_dir():
                made.chmod(stat.S_IMODE(below.stat().st_mode) | stat.S_IRWXU)


def _caches(root: Path) -> Iterator[str]:
    """Directories in which tools keep what they have computed."""
    for seen, (folder, names, _) in enumerate(os.walk(root)):
        if seen > MOST_DIRECTORIES:
            return
        yield from (str(Path(folder, n).relative_to(root)) for n in names if n in CACHES)
        names[:] = [name for name in names if name not in CACHES | INSTALLED]


def _read(path: Path, most: int) -> bytes:
    """A report; what a test put in the place of one may be anything, and says nothing."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        is_file = stat.S_ISREG(os.fstat(handle).st_mode)
        return os.pread(handle, most, 0) if is_file else b""
    finally:
        os.close(handle)


def _has_mounts(root: Path) -> bool:
    """Whether something is mounted below it, which a view would not show."""
    try:
        lines = Path("/proc/self/mountinfo").read_bytes().splitlines()
    except OSError:
        return True
    below = os.fsencode(root) + b"/"
    points = (line.split(b" ")[4].decode("unicode_escape").encode("latin-1") for line in lines)
    return any(point.startswith(below) for point in points)
