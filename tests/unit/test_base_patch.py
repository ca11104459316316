"""Taking the changes of a task back, as a difference to the directory."""

from pathlib import Path

from typing_extensions import override

from pm_orchestrator.domain.judging.outcome import FileChange
from pm_orchestrator.evidence.look.stat_cache import FileState
from pm_orchestrator.ports.rescue import Saved
from pm_orchestrator.ports.saved_files import SavedFile, SavedFiles
from pm_orchestrator.ports.tree_views import PatchedFile
from pm_orchestrator.runner.places.judged.base_patch import base_patch

SAVED = Saved(ref="r", commit="c", place=Path("/nowhere"), head=None)
BEFORE = {
    "a.py": FileState("1", 4, 0o644),
    "run.sh": FileState("2", 4, 0o755),
    "link": FileState("link:a.py", 4),
    "was.py": FileState("3", 4, 0o600),
    "large.bin": FileState("4", 4),
}


class Contents(SavedFiles):
    @override
    async def differences(self, one: Saved, other: Saved) -> tuple[SavedFile, ...]:
        raise NotImplementedError

    @override
    async def read(self, saved: Saved, path: str) -> bytes | None:
        return None if path == "large.bin" else path.encode()


def change(path: str, kind: str, previous: str | None = None) -> FileChange:
    return FileChange(path=path, kind=kind, size=1, previous_path=previous)  # pyright: ignore[reportArgumentType]


async def test_every_kind_of_change_is_taken_back() -> None:
    changes = (
        change("a.py", "modified"),
        change("run.sh", "deleted"),
        change("link", "deleted"),
        change("new.py", "created"),
        change("now.py", "renamed", "was.py"),
    )
    patch = await base_patch(BEFORE, SAVED, changes, Contents())
    assert patch is not None
    assert patch.gone == ("new.py", "now.py")
    assert patch.files == {
        "a.py": PatchedFile(content=b"a.py", mode=0o644),
        "run.sh": PatchedFile(content=b"run.sh", mode=0o755),
        "link": PatchedFile(content=b"a.py", link=True),
        "was.py": PatchedFile(content=b"was.py", mode=0o600),
    }


async def test_what_is_not_known_makes_no_patch() -> None:
    for path in ("large.bin", "never.seen"):
        assert await base_patch(BEFORE, SAVED, (change(path, "modified"),), Contents()) is None
