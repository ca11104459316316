"""Rescues kept in memory: a real implementation of the port, without git."""

import stat
from collections.abc import Collection, Mapping
from pathlib import Path

import msgspec
from msgspec.structs import replace
from typing_extensions import override

from pm_orchestrator.evidence.look.snapshot import DirectoryWalk, Rules
from pm_orchestrator.evidence.look.stat_cache import StatCache
from pm_orchestrator.ports.rescue import CheckedOut, Exchanged, Rescue, Restored, Saved, Tree
from pm_orchestrator.ports.saved_files import SavedFile, SavedFiles
from pm_orchestrator.runner.places.place import names_below

HOME = Path("/memory")


class KeptFile(msgspec.Struct, frozen=True):
    """One file of a saved tree; `link` for a symbolic link."""

    mode: int
    content: bytes
    link: str | None = None


class MemoryRescue(Rescue, SavedFiles):
    """Whole trees by name; every saved tree stays, also after its name is dropped."""

    def __init__(self) -> None:
        self._trees: list[dict[str, KeptFile]] = []
        self._names: dict[str, Saved] = {}

    @override
    async def save(self, tree: Tree, name: str, beside: Saved | None = None) -> Saved:
        self._trees.append(_read(tree.project, tree.ignored))
        saved = Saved(
            ref=name,
            commit=str(len(self._trees) - 1),
            place=HOME if beside is None else beside.place,
            head=None,
            ignored=tree.ignored,
        )
        self._names[name] = saved
        return saved

    @override
    async def find(self, project: Path, name: str) -> Saved | None:
        return self._names.get(name)

    @override
    async def names(self, project: Path, task: str) -> tuple[str, ...]:
        return tuple(sorted(name for name in self._names if name.split("/")[-1] == task))

    @override
    async def latest(self, project: Path) -> Mapping[str, str]:
        return {name: saved.commit for name, saved in self._names.items()}

    @override
    async def named_now(self, project: Path, refs: Collection[str]) -> Mapping[str, str]:
        return {name: oid for name, oid in (await self.latest(project)).items() if name in refs}

    @override
    async def point(self, project: Path, refs: Mapping[str, str]) -> tuple[str, ...]:
        for name, commit in refs.items():
            self._names[name] = replace(self._names[name], commit=commit)
        return tuple(refs)

    @override
    async def restore(self, project: Path, current: Saved, target: Saved) -> Restored:
        now, wanted = (self._trees[int(saved.commit)] for saved in (current, target))
        removed = [path for path in now if path not in wanted]
        written = [path for path, file in wanted.items() if now.get(path) != file]
        for path in (*removed, *(p for p in written if p in now)):
            (project / path).unlink()
        for path in written:
            _write(project / path, wanted[path])
        return Restored(
            written=tuple(written),
            removed=tuple(removed),
            head_was=None,
            head_is=None,
            index_restored=False,
        )

    @override
    async def exchange(
        self, project: Path, current: Saved, origin: Saved, target: Saved
    ) -> Exchanged:
        now, was, wanted = (self._trees[int(s.commit)] for s in (current, origin, target))
        paths = sorted(p for p in was.keys() | wanted.keys() if was.get(p) != wanted.get(p))
        free = [path for path in paths if now.get(path) == was.get(path)]
        for path in free:
            (project / path).unlink(missing_ok=True)
            if path in wanted:
                _write(project / path, wanted[path])
        return Exchanged(
            written=tuple(path for path in free if path in wanted),
            removed=tuple(path for path in free if path not in wanted),
            left=tuple(p for p in paths if p not in free and now.get(p) != wanted.get(p)),
        )

    @override
    async def read(self, saved: Saved, path: str) -> bytes | None:
        kept = self._trees[int(saved.commit)].get(path)
        return None if kept is None else kept.content

    @override
    async def names_in(self, saved: Saved, folder: str) -> tuple[str, ...]:
        return names_below(self._trees[int(saved.commit)], folder)

    @override
    async def differences(self, one: Saved, other: Saved) -> tuple[SavedFile, ...]:
        was, now = (self._trees[int(saved.commit)] for saved in (one, other))
        paths = sorted(p for p in was.keys() | now.keys() if was.get(p) != now.get(p))
        return tuple(_saved(path, was.get(path)) for path in paths)

    @override
    async def forget(self, project: Path, saved: Saved) -> None:
        del self._names[saved.ref]

    @override
    async def head(self, project: Path) -> CheckedOut:
        return CheckedOut(commit=None)

    @override
    async def descends(self, project: Path, commit: str, base: str) -> bool:
        return False


def _saved(path: str, kept: KeptFile | None) -> SavedFile:
    if kept is None:
        return SavedFile(path=path, content=None)
    if kept.link is not None:
        return SavedFile(path=path, content=kept.link.encode(), link=True)
    return SavedFile(path=path, content=kept.content)


def _read(root: Path, ignored: frozenset[str]) -> dict[str, KeptFile]:
    found = DirectoryWalk(root, StatCache(), lambda: 0).scan(Rules(ignored=ignored))
    kept: dict[str, KeptFile] = {}
    for name in found:
        path = root / name
        mode = stat.S_IMODE(path.lstat().st_mode)
        if path.is_symlink():
            kept[name] = KeptFile(mode, b"", str(path.readlink()))
        else:
            kept[name] = KeptFile(mode, path.read_bytes())
    return kept


def _write(path: Path, file: KeptFile) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if file.link is not None:
        path.symlink_to(file.link)
    else:
        path.write_bytes(file.content)
        path.chmod(file.mode)
