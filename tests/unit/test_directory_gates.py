"""Gates in the project directory: compared with what was there before, and nothing is spoiled."""

import hashlib
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from pathlib import Path

import pytest
from typing_extensions import override

from pm_orchestrator.domain.judging.gate import Gate
from pm_orchestrator.domain.judging.outcome import FileChange
from pm_orchestrator.evidence.look.ignored_files import IgnoredDifferences
from pm_orchestrator.evidence.look.snapshot import DirectoryWalk, Rules, Scan, Snapshot
from pm_orchestrator.evidence.look.stat_cache import FileState, StatCache
from pm_orchestrator.ports.gate_programs import OutsideChanges
from pm_orchestrator.ports.process import CommandResult, DirectoryView
from pm_orchestrator.ports.rescue import Saved
from pm_orchestrator.ports.saved_files import SavedFile, SavedFiles
from pm_orchestrator.ports.tree_views import (
    Patch,
    PatchedCopies,
    PatchedFile,
    TreeView,
    TreeViews,
)
from pm_orchestrator.runner.places.judged.directory_gates import DirectoryGates, GateParts
from pm_orchestrator.runner.places.place import TreeEdit
from pm_orchestrator.runner.places.workspace import After, Before

TEST = Gate(kind="test", argv=("make", "test"), source="Makefile")
SAVED = Saved(ref="r", commit="c", place=Path("/nowhere"), head=None)
CHANGES = (
    FileChange(path="a.py", kind="modified", size=4),
    FileChange(path="gone.py", kind="deleted", size=0),
)
OLD = {"a.py": b"old\n", "gone.py": b"was\n", "other.txt": b"mine\n"}


class Copies(PatchedCopies, SavedFiles):
    """The project before the task, or no copy of it at all."""

    def __init__(self, copy: Path | None, files: dict[str, bytes]) -> None:
        self.where = copy
        self.files = files
        self.asked: list[Patch] = []

    @override
    def of(self, root: Path, patch: Patch) -> AbstractAsyncContextManager[Path | None]:
        self.asked.append(patch)
        return self._copy()

    @asynccontextmanager
    async def _copy(self) -> AsyncGenerator[Path | None]:
        yield self.where

    @override
    async def names_in(self, saved: Saved, folder: str) -> tuple[str, ...]:
        raise NotImplementedError

    @override
    async def differences(self, one: Saved, other: Saved) -> tuple[SavedFile, ...]:
        # There is only one tree here.
        return ()

    @override
    async def read(self, saved: Saved, path: str) -> bytes | None:
        return self.files.get(path)


class NoViews(TreeViews):
    """A machine on which the kernel allows none."""

    def __init__(self) -> None:
        self.asked: list[Patch] = []

    @override
    def of(self, root: Path, patch: Patch) -> AbstractAsyncContextManager[TreeView | None]:
        self.asked.append(patch)
        return nullcontext(None)


class Yard:
    """A delivered tree with a copy of the one before, and a gate that prints and may meddle."""

    def __init__(self, folder: Path) -> None:
        self.root, self.copy, self.aside = folder / "p", folder / "copy", folder / "aside"
        for where in (self.root, self.copy):
            where.mkdir()
            (where / "Makefile").write_text("test:\n\tpytest\n", encoding="utf-8")
        (self.root / "a.py").write_bytes(b"new\n")
        (self.root / "other.txt").write_bytes(b"mine\n")
        self.views = NoViews()
        self.copies = Copies(self.copy, dict(OLD))
        self.prints = b"1 passed\n"
        self.writes: dict[str, bytes | None] = {}
        self.ran: list[Path] = []
        self.ignored = IgnoredDifferences()

    async def judged(self, saved: Saved | None = SAVED) -> DirectoryGates:
        parts = GateParts(
            root=self.root,
            run_in=self._run,
            saved_files=self.copies,
            views=self.views,
            copies=self.copies,
            outside_changes=self._outside_changes,
            aside=self.aside,
        )
        scan = DirectoryWalk(self.root, StatCache(), lambda: 0).look(Rules())
        was = {p: FileState(hashlib.sha256(c).hexdigest(), len(c), 0o644) for p, c in OLD.items()}
        before = Before(scan=Scan(files=was), rules=Rules(), saved=saved, findings=())
        after = After(
            files=scan.files, rules=Rules(), changes=CHANGES, findings=(), ignored=self.ignored
        )
        return DirectoryGates(parts, before, after, self._look)

    async def _outside_changes(self) -> OutsideChanges:
        return OutsideChanges()

    async def _look(self) -> Snapshot:
        return DirectoryWalk(self.root, StatCache(), lambda: 0).scan(Rules())

    async def _run(self, gate: Gate, where: Path, _: tuple[DirectoryView, ...]) -> CommandResult:
        self.ran.append(where)
        for name, content in self.writes.items():
            if content is None:
                (self.root / name).unlink()
            else:
                (self.root / name).write_bytes(content)
        return CommandResult(exit_code=1, stdout=self.prints, stderr=b"")


@pytest.fixture
def yard(tmp_path: Path) -> Yard:
    return Yard(tmp_path)


async def test_a_gate_is_run_where_the_work_lies(yard: Yard) -> None:
    gates = await yard.judged()
    assert (await gates.run(TEST)).stdout == b"1 passed\n"
    assert yard.ran == [yard.root]


async def test_what_an_earlier_gate_spoiled_is_not_taken_for_the_work(yard: Yard) -> None:
    gates = await yard.judged()
    yard.writes = {"a.py": b"formatted\n"}
    await gates.run(TEST)
    await gates.run(TEST)
    await gates.tidy()
    assert (yard.root / "a.py").read_bytes() == b"new\n"


async def test_the_base_is_a_copy_with_the_changes_taken_back(yard: Yard) -> None:
    found = await (await yard.judged()).run_on_base(TEST)
    assert found.result is not None
    assert yard.ran == [yard.copy]
    old = {path: PatchedFile(content=OLD[path]) for path in ("a.py", "gone.py")}
    assert yard.copies.asked == [Patch(files=old)]
    assert (found.project, found.base_project) == (str(yard.root), str(yard.copy))


async def test_without_a_saved_tree_there_is_no_base(yard: Yard) -> None:
    found = await (await yard.judged(saved=None)).run_on_base(TEST)
    assert found.result is None
    assert "not saved" in found.why
    assert yard.ran == []


async def test_a_saved_tree_that_was_altered_is_no_base(yard: Yard) -> None:
    yard.copies.files["a.py"] = b"as an agent would have had it\n"
    found = await (await yard.judged()).run_on_base(TEST)
    assert found.result is None
    assert "a.py" in found.why
    assert yard.ran == []


async def test_what_is_ignored_and_not_known_from_before_makes_no_base(yard: Yard) -> None:
    yard.ignored = IgnoredDifferences(unknown=("db.sqlite3",))
    found = await (await yard.judged()).run_on_base(TEST)
    assert (found.result, yard.ran) == (None, [])
    assert "db.sqlite3" in found.why


async def test_ignored_files_are_given_back_to_the_base(yard: Yard) -> None:
    old = PatchedFile(content=b"A=1\n", mode=0o600)
    yard.ignored = IgnoredDifferences(given_back={".env": old}, gone=("local/conftest.py",))
    await (await yard.judged()).run_on_base(TEST)
    (patch,) = yard.copies.asked
    assert (patch.files[".env"], patch.gone) == (old, ("local/conftest.py",))


async def test_no_gate_sees_what_git_was_told_in_the_course_of_the_task(yard: Yard) -> None:
    told = Patch(files={".git/config": PatchedFile(content=b"")}, gone=(".git/info/exclude",))
    yard.ignored = IgnoredDifferences(told_to_git=told)
    await (await yard.judged()).run(TEST)
    (patch,) = yard.views.asked
    assert (patch.files, patch.gone) == (told.files, told.gone)


async def test_without_a_copy_there_is_no_base(yard: Yard) -> None:
    yard.copies.where = None
    found = await (await yard.judged()).run_on_base(TEST)
    assert found.result is None
    assert "no copy of the project" in found.why
    assert yard.ran == []


async def test_a_gate_whose_output_names_the_project_may_have_judged_it_again(yard: Yard) -> None:
    yard.prints = f"{yard.root}/a.py:1 boom\n".encode()
    found = await (await yard.judged()).run_on_base(TEST)
    assert found.result is None
    assert "led back" in found.why


async def test_so_may_one_whose_own_file_names_it(yard: Yard) -> None:
    text = f"test:\n\tcd {yard.root} && pytest\n"
    (yard.copy / "Makefile").write_text(text, encoding="utf-8")
    found = await (await yard.judged()).run_on_base(TEST)
    assert found.result is None
    assert "led back" in found.why


async def test_a_quiet_gate_leaves_nothing_to_tidy(yard: Yard) -> None:
    gates = await yard.judged()
    await gates.run(TEST)
    assert await gates.tidy() == ((), ())
    assert not yard.aside.exists()


async def test_what_a_gate_wrote_over_is_put_back(yard: Yard) -> None:
    """The work's own file from what was held, any other from what was saved."""
    yard.writes = {"a.py": b"formatted\n", "other.txt": None, "report.xml": b"<x/>"}
    gates = await yard.judged()
    await gates.run(TEST)
    left, lines = await gates.tidy()
    assert left == ()
    assert set(lines) == {"put back a.py", "put back other.txt", "added report.xml"}
    assert (yard.root / "a.py").read_bytes() == b"new\n", "as delivered, not as before"
    assert (yard.root / "other.txt").read_bytes() == b"mine\n"
    assert (yard.aside / "a.py").read_bytes() == b"formatted\n"


async def test_what_a_gate_changed_and_nobody_kept_is_reported(yard: Yard) -> None:
    del yard.copies.files["other.txt"]
    yard.writes = {"other.txt": b"changed by a gate\n"}
    gates = await yard.judged()
    await gates.run(TEST)
    assert await gates.tidy() == (("other.txt",), ("not put back other.txt",))


async def test_the_old_content_of_a_changed_file_is_not_put_back(yard: Yard) -> None:
    """Were the work's own file not held, the saved one would undo the work."""
    yard.writes = {"a.py": b"formatted\n"}
    (yard.root / "a.py").unlink()
    (yard.root / "a.py").symlink_to("other.txt")
    gates = await yard.judged()
    (yard.root / "a.py").unlink()
    await gates.run(TEST)
    left, _ = await gates.tidy()
    assert left == ("a.py",)
    assert (yard.root / "a.py").read_bytes() == b"formatted\n"


async def test_without_a_saved_tree_only_the_work_itself_is_put_back(yard: Yard) -> None:
    yard.writes = {"a.py": b"formatted\n", "other.txt": b"changed by a gate\n"}
    gates = await yard.judged(saved=None)
    await gates.run(TEST)
    left, lines = await gates.tidy()
    assert left == ("other.txt",)
    assert "put back a.py" in lines


async def test_other_trees_are_copies_as_well(yard: Yard) -> None:
    gates = await yard.judged()
    edit = TreeEdit(taken_back=CHANGES[:1], contents={"other.txt": b""})
    assert await gates.run_edited(TEST, edit) is not None
    assert yard.ran == [yard.copy]
    assert [set(patch.files) for patch in yard.copies.asked] == [{"a.py", "other.txt"}]
    assert await (await yard.judged(saved=None)).run_edited(TEST, edit) is None
