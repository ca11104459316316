"""Taking the changes of a task back, as a difference to the directory."""

import hashlib
from pathlib import Path

import pytest
from typing_extensions import override

from pm_orchestrator.domain.judging.outcome import FileChange
from pm_orchestrator.evidence.look.ignored_files import IgnoredDifferences, KeptIgnored
from pm_orchestrator.evidence.look.snapshot import Rules, Scan
from pm_orchestrator.evidence.look.stat_cache import FileState
from pm_orchestrator.evidence.look.toolchains import Toolchains
from pm_orchestrator.ports.rescue import Saved
from pm_orchestrator.ports.saved_files import SavedFile, SavedFiles
from pm_orchestrator.ports.tree_views import Patch, PatchedFile
from pm_orchestrator.runner.places.judged.base_patch import BaseUnknown, base_patch
from pm_orchestrator.runner.places.workspace import Before

SAVED = Saved(ref="r", commit="c", place=Path("/nowhere"), head=None)


def seen(path: str, mode: int = 0o644) -> FileState:
    """A file whose content is its own name."""
    return FileState(hashlib.sha256(path.encode()).hexdigest(), len(path), mode)


FILES = {
    "a.py": seen("a.py"),
    "run.sh": seen("run.sh", 0o755),
    "link": FileState("link:a.py", 4),
    "was.py": seen("was.py", 0o600),
    "large.bin": seen("large.bin"),
    "altered.py": seen("another name"),
    "nested/b.py": seen("nested/b.py"),
}
KEPT = KeptIgnored(
    since_ns=0,
    files={
        "nested/b.py": PatchedFile(content=b"nested/b.py"),
        ".env": PatchedFile(content=b"A=1", mode=0o600),
    },
    others=frozenset(),
    toolchains=Toolchains(folders=(), installed=frozenset()),
)
NOTHING = IgnoredDifferences()
BEFORE = Before(scan=Scan(files=FILES), rules=Rules(), saved=SAVED, findings=(), kept=KEPT)


class Contents(SavedFiles):
    @override
    async def names_in(self, saved: Saved, folder: str) -> tuple[str, ...]:
        raise NotImplementedError

    @override
    async def differences(self, one: Saved, other: Saved) -> tuple[SavedFile, ...]:
        raise NotImplementedError

    @override
    async def read(self, saved: Saved, path: str) -> bytes | None:
        return None if path in {"large.bin", "nested/b.py"} else path.encode()


def change(path: str, kind: str, previous: str | None = None) -> FileChange:
    return FileChange(path=path, kind=kind, size=1, previous_path=previous)  # pyright: ignore[reportArgumentType]


async def test_every_kind_of_change_is_taken_back() -> None:
    changes = (
        change("nested/b.py", "modified"),
        change(".env", "modified"),
        change("a.py", "modified"),
        change("run.sh", "deleted"),
        change("link", "deleted"),
        change("new.py", "created"),
        change("now.py", "renamed", "was.py"),
    )
    patch = await base_patch(BEFORE, changes, NOTHING, Contents())
    assert isinstance(patch, Patch)
    assert patch.gone == ("new.py", "now.py")
    assert patch.files == {
        "a.py": PatchedFile(content=b"a.py", mode=0o644),
        "run.sh": PatchedFile(content=b"run.sh", mode=0o755),
        "link": PatchedFile(content=b"a.py", link=True),
        "was.py": PatchedFile(content=b"was.py", mode=0o600),
        "nested/b.py": PatchedFile(content=b"nested/b.py", mode=0o644),
        ".env": PatchedFile(content=b"A=1", mode=0o600),
    }


@pytest.mark.parametrize("path", ["large.bin", "never.seen", "altered.py"])
async def test_what_is_not_known_or_was_altered_makes_no_patch(path: str) -> None:
    found = await base_patch(BEFORE, (change(path, "modified"),), NOTHING, Contents())
    assert isinstance(found, BaseUnknown)
    assert path in found.why
