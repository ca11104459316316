"""Where a task began: the base it is judged from, and the branches an undo takes away."""

from pathlib import Path
from typing import cast

import pytest
from msgspec.structs import replace
from typing_extensions import override

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.log_contents import FileOperation
from pm_orchestrator.domain.judging.outcome import FileChange
from pm_orchestrator.domain.tasks.evidence_record import EvidenceSummary
from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.evidence.look.snapshot import LINK, Rules, Scan
from pm_orchestrator.ports.repository import Repository
from pm_orchestrator.ports.rescue import Saved
from pm_orchestrator.ports.saved_files import SavedFile, SavedFiles
from pm_orchestrator.runner.places.first_base import since_first
from pm_orchestrator.runner.places.workspace import Before
from pm_orchestrator.runner.records.task_moments import LISTED_FILES, moments
from pm_orchestrator.runner.tasks.undo import UndoBranches
from pm_orchestrator.testing.memory.memory_recorder import MemoryRecorder

NOW = Saved(ref="refs/pm/rescue/run_002/t", commit="2", place=Path("/x"), head=None)
FIRST = replace(NOW, ref="refs/pm/rescue/run_001/t", commit="1")


class Differing(SavedFiles):
    """Two saved trees that differ in the given files, or cannot be compared."""

    def __init__(self, *files: SavedFile, fails: bool = False) -> None:
        self._files = files
        self._fails = fails

    @override
    async def names_in(self, saved: Saved, folder: str) -> tuple[str, ...]:
        raise NotImplementedError

    @override
    async def differences(self, one: Saved, other: Saved) -> tuple[SavedFile, ...]:
        assert (one, other) == (FIRST, NOW)
        if self._fails:
            raise PmError("git_failed", operation="diff-tree", reason="it is gone")
        return self._files

    @override
    async def read(self, saved: Saved, path: str) -> bytes | None:
        return None


def before(saved: Saved | None = NOW) -> Before:
    return Before(scan=Scan(files={}), rules=Rules(), saved=saved, findings=())


async def test_files_and_links_are_as_they_were_first() -> None:
    files = Differing(
        SavedFile(path="a", content=b"one"),
        SavedFile(path="b", content=b"a", link=True),
        SavedFile(path="c", content=None),
    )
    found = await since_first(before(), FIRST, files)
    assert found.base == FIRST
    assert set(found.files) == {"a", "b"}
    assert found.files["b"].digest == f"{LINK}a"


@pytest.mark.parametrize("saved", [NOW, None])
async def test_what_cannot_be_compared_is_judged_from_now_on(saved: Saved | None) -> None:
    unsaved = before(saved)
    assert await since_first(unsaved, FIRST, Differing(fails=True)) == unsaved


class NoBranches:
    """A user's repository without anything of ours."""

    async def user_refs(self, project: Path, pattern: str) -> tuple[str, ...]:
        return ()


async def test_a_task_without_branches_has_nothing_to_undo(tmp_path: Path) -> None:
    undo = UndoBranches(tmp_path, cast("Repository", NoBranches()), MemoryRecorder())
    with pytest.raises(PmError) as refused:
        await undo.undo("session-1", "task-1", "20260115-ab12")
    assert refused.value.slug == "nothing_to_undo"


def test_a_flood_of_files_is_counted_in_one_event() -> None:
    changes = tuple(
        FileChange(path=f"f{n}", kind="created", size=1) for n in range(LISTED_FILES + 3)
    )
    summary = EvidenceSummary(
        files_expected=(),
        files_verified=(),
        files_missing=(),
        verification_passed=True,
        verification_reason="",
        verified_files=(),
    )
    found = moments(TaskStatus.COMPLETE, changes, summary, None, unlisted=4)
    assert len(found) == LISTED_FILES + 1
    assert found[-1] == FileOperation(operation="more", count=7)
