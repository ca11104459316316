"""The courses of QA that need something to be missing or in the way."""

from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest
from typing_extensions import override

from pm_orchestrator.domain.evidence import Evidence
from pm_orchestrator.domain.gate import Gate, GateVerdict
from pm_orchestrator.domain.outcome import FileChange
from pm_orchestrator.domain.record import from_json, to_json
from pm_orchestrator.domain.settings import default_settings
from pm_orchestrator.evidence.masking import Masker
from pm_orchestrator.evidence.snapshot import Rules, Snapshot, Walk
from pm_orchestrator.evidence.stat_cache import StatCache
from pm_orchestrator.gates.hard_limits import Usage
from pm_orchestrator.ports.process import CommandResult
from pm_orchestrator.ports.rescue import Saved
from pm_orchestrator.ports.saved_files import BaseCopies, SavedFiles
from pm_orchestrator.runner.solo_qa import Delivered, QaParts, Quality, SoloQa
from pm_orchestrator.testing.clock import FakeClock
from pm_orchestrator.testing.records import sample

LINT = Gate(kind="lint", argv=("lint",), source="settings")
TEST = Gate(kind="test", argv=("test",), source="settings")
CHANGE = FileChange(path="a.py", kind="modified", size=3)
SAVED = Saved(ref="r", commit="c", place=Path("/nowhere"), head=None)
RED = b"FAILED tests/test_a.py::test_%s - boom\n1 failed in 0.1s\n"


class Copies(BaseCopies, SavedFiles):
    """The project before the task, or no copy of it at all."""

    def __init__(self, copy: Path | None) -> None:
        self._where = copy

    @override
    def of(
        self, project: Path, saved: Saved, changes: tuple[FileChange, ...]
    ) -> AbstractAsyncContextManager[Path | None]:
        return self._copy()

    @asynccontextmanager
    async def _copy(self) -> AsyncGenerator[Path | None]:
        yield self._where

    @override
    async def read(self, saved: Saved, path: str) -> bytes | None:
        return None


class Course:
    """One examination; gates fail as told, and may meddle with the tree."""

    def __init__(self, root: Path, copy: Path | None = None) -> None:
        self.root = root
        self.copies = Copies(copy)
        self.outputs: dict[tuple[str, bool], CommandResult] = {}
        self.meddle = False
        self.noted: list[str] = []
        self.ran: list[str] = []
        (root / "a.py").write_text("a\n\n", encoding="utf-8")
        (root / "other.txt").write_text("mine\n", encoding="utf-8")

    def fails(self, kind: str, *, in_place: bool, name: bytes = b"a") -> None:
        red = CommandResult(exit_code=1, stdout=RED % name, stderr=b"")
        self.outputs[kind, in_place] = red

    async def examine(self, *gates: Gate, saved: Saved | None = SAVED) -> Quality:
        parts = QaParts(
            run_in=self._run,
            masker=Masker(),
            saved_files=self.copies,
            copies=self.copies,
            settings=default_settings(),
            clock=FakeClock(),
            aside=self.root.parent / "aside",
        )
        given = Delivered(
            project=self.root,
            instruction="Change a.py",
            gates=gates,
            changes=(CHANGE,),
            tree=self._look(),
            name="tree",
            saved=saved,
            usage=Usage(characters=1),
        )

        async def look() -> Snapshot:
            return self._look()

        async def note(kind: str, raw: str) -> Evidence:
            self.noted.append(f"{kind}: {raw}")
            return from_json(Evidence, to_json(sample(Evidence)))

        return await SoloQa(parts, look, note).examine(given)

    async def _run(self, gate: Gate, where: Path) -> CommandResult:
        self.ran.append(gate.kind)
        if self.meddle:
            (self.root / "other.txt").write_text("changed by a gate\n", encoding="utf-8")
        green = CommandResult(exit_code=0, stdout=b"1 passed in 0.1s\n", stderr=b"")
        return self.outputs.get((gate.kind, where == self.root), green)

    def _look(self) -> Snapshot:
        return Walk(self.root, StatCache(), lambda: 0).scan(Rules())


@pytest.fixture
def course(tmp_path: Path) -> Course:
    for name in ("project", "copy"):
        (tmp_path / name).mkdir()
    return Course(tmp_path / "project", tmp_path / "copy")


async def test_tests_are_not_reached_when_lint_is_worse_than_before(course: Course) -> None:
    course.fails("lint", in_place=True)
    quality = await course.examine(LINT, TEST)
    assert [r.verdict for r in quality.report.results] == [
        GateVerdict.FAIL,
        GateVerdict.COULD_NOT_RUN,
    ]
    assert course.ran == ["lint", "lint"], "in place, then on the base"
    assert quality.comparisons[0].new_failures


async def test_tests_are_run_when_lint_is_as_red_as_before(course: Course) -> None:
    course.fails("lint", in_place=True)
    course.fails("lint", in_place=False)
    quality = await course.examine(LINT, TEST)
    assert [r.verdict for r in quality.report.results] == [GateVerdict.FAIL, GateVerdict.PASS]
    assert quality.comparisons[0].settled


async def test_without_a_copy_of_the_base_nothing_is_told_apart(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    course = Course(tmp_path / "project", None)
    course.fails("test", in_place=True)
    quality = await course.examine(TEST)
    assert not quality.comparisons[0].told_apart
    assert any("no copy of the base" in line for line in course.noted)


async def test_without_a_saved_tree_nothing_is_compared(course: Course) -> None:
    course.fails("test", in_place=True)
    quality = await course.examine(TEST, saved=None)
    assert not quality.comparisons[0].told_apart
    assert quality.dilution is None
    assert course.ran == ["test"]


async def test_what_a_gate_changed_and_nobody_kept_is_reported(course: Course) -> None:
    course.meddle = True
    quality = await course.examine(TEST)
    assert quality.gate_changes == ("other.txt",)
    assert any("not put back other.txt" in line for line in course.noted)
