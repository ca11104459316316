"""The project directory as a place, before anybody works in it and where a task goes on."""

from pathlib import Path
from typing import Any, cast

import pytest
from typing_extensions import override

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.judging.effect import Refs
from pm_orchestrator.domain.setup.settings import default_settings
from pm_orchestrator.evidence.look.snapshot import DirectoryWalk
from pm_orchestrator.evidence.look.stat_cache import StatCache
from pm_orchestrator.ports.ignored import IgnoredFiles
from pm_orchestrator.runner.places import project_directory
from pm_orchestrator.runner.places.beside.neighbours import Neighbours
from pm_orchestrator.runner.places.directory_parts import DirectoryParts
from pm_orchestrator.runner.places.project_directory import ProjectDirectory
from pm_orchestrator.runner.places.workspace import Workspace
from pm_orchestrator.testing.memory.fake_clock import FakeClock
from pm_orchestrator.testing.memory.memory_rescue import MemoryRescue
from pm_orchestrator.testing.scripted.fake_executors import SuccessFake


class NothingIgnored(IgnoredFiles):
    @override
    async def ignored(self, project: Path) -> frozenset[str]:
        return frozenset()


class History:
    """A repository with one branch."""

    async def refs(self, root: Path) -> Refs:
        return Refs(head="c1", branches={"main": "c1"})


class NoPrograms:
    async def note(self) -> None:
        """Nothing to remember."""


class Yard:
    """A directory, and its places run after run."""

    def __init__(self, root: Path) -> None:
        root.mkdir()
        self.root = root
        self.rescue = MemoryRescue()
        walk = DirectoryWalk(root, StatCache(), lambda: 0)
        self._workspace = Workspace(root, walk, NothingIgnored(), self.rescue)
        self._runs = 0

    def write(self, name: str, text: str) -> None:
        (self.root / name).write_text(text, encoding="utf-8")

    def place(self, *, goes_on: bool = False) -> ProjectDirectory:
        self._runs += 1
        nobody = cast("Any", None)
        return ProjectDirectory(
            DirectoryParts(
                root=self.root,
                executor=SuccessFake("a.txt"),
                hands=nobody,
                workspace=self._workspace,
                neighbours=Neighbours(self.root, None, nobody, self.rescue),
                guard=nobody,
                saved_files=self.rescue,
                programs=cast("Any", NoPrograms()),
                history=lambda: cast("Any", History()),
                gates=nobody,
                settings=default_settings(),
                masker=nobody,
                clock=FakeClock(),
                log=nobody,
                note=nobody,
                events=nobody,
                run_id=f"run_00{self._runs}",
                task_id="task-1",
                instruction="Do it",
                goes_on=goes_on,
            )
        )


@pytest.fixture
def yard(tmp_path: Path) -> Yard:
    return Yard(tmp_path / "project")


async def test_a_task_that_goes_on_is_asked_about_its_first_base(yard: Yard) -> None:
    yard.write("old.txt", "old\n")
    first = yard.place()
    await first.open()
    await first.begin(())
    (yard.root / "old.txt").unlink()
    yard.write("new.txt", "made by the first run\n")

    second = yard.place(goes_on=True)
    await second.open()
    assert await second.exists("old.txt"), "it was there before the task"
    assert await second.exists("new.txt"), "who made it is not known, so it is not overwritten"
    assert not await second.exists("never.txt")
    assert await second.read_base("old.txt") == b"old\n"
    assert await second.names_in("") == ("old.txt",)
    await second.begin(())
    assert await second.listing() == ("old.txt",)
    assert not await second.exists("new.txt")


@pytest.mark.parametrize(
    ("goes_on", "refs"),
    [(False, Refs(head="c1", branches={"main": "c1"})), (True, Refs())],
)
async def test_branches_of_earlier_runs_are_the_work_of_the_task(
    yard: Yard, refs: Refs, *, goes_on: bool
) -> None:
    place = yard.place(goes_on=goes_on)
    await place.open()
    assert await place.refs() == refs


async def test_what_cannot_be_read_may_define_a_gate(
    yard: Yard, monkeypatch: pytest.MonkeyPatch
) -> None:
    yard.write("Makefile", "test:\n")
    (yard.root / "folder").mkdir()
    place = yard.place()
    assert await place.read_base("Makefile") == b"test:\n"
    assert await place.read_base("folder") is None
    assert await place.read_base("absent") is None

    def locked(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(project_directory, "read_file", locked)
    with pytest.raises(PmError) as refused:
        await place.read_base("Makefile")
    assert refused.value.slug == "config_corrupt"
    assert "Permission denied" in refused.value.what()


async def test_what_belongs_to_branches_is_not_done_here(yard: Yard) -> None:
    place = yard.place()
    assert place.executor == "fake"
    with pytest.raises(PmError) as merged:
        await place.merge("a", "b", cast("Any", None))
    assert merged.value.slug == "step_unbound"
    with pytest.raises(PmError) as looked:
        await place.look(None, ())
    assert looked.value.slug == "step_unbound", "nobody can tell what changed since nothing"
