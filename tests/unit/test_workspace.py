"""The project directory around an executor, without git."""

import os
from contextlib import nullcontext
from pathlib import Path

import pytest
from typing_extensions import override

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.evidence.look.snapshot import DirectoryWalk
from pm_orchestrator.evidence.look.stat_cache import StatCache
from pm_orchestrator.ports.ignored import IgnoredFiles
from pm_orchestrator.ports.rescue import CheckedOut, Saved, Tree
from pm_orchestrator.runner.places.workspace import LastLook, Workspace, project_path
from pm_orchestrator.testing.memory.memory_rescue import MemoryRescue


class Told(IgnoredFiles):
    """Ignores what it is told to, or fails."""

    def __init__(self, *paths: str) -> None:
        self.paths = frozenset(paths)
        self.broken = False
        self.asked = 0

    @override
    async def ignored(self, project: Path) -> frozenset[str]:
        self.asked += 1
        if self.broken:
            raise PmError("git_failed", operation="ls-files", reason="broken")
        return self.paths


class Moving(MemoryRescue):
    """A rescue beside a history that can move."""

    def __init__(self) -> None:
        super().__init__()
        self.now: str | None = "a" * 40
        self.branch: str | None = "main"
        self.forward = True
        self.refuses: str | None = None

    @override
    async def save(self, tree: Tree, name: str, beside: Saved | None = None) -> Saved:
        if self.refuses is not None:
            raise PmError(self.refuses, program="git", path="p", reason="r", operation="o")
        saved = await super().save(tree, name, beside)
        return Saved(
            ref=saved.ref, commit=saved.commit, place=saved.place, head="a" * 40, branch="main"
        )

    @override
    async def head(self, project: Path) -> CheckedOut:
        if self.now == "broken":
            raise PmError("git_failed", operation="rev-parse", reason="broken")
        return CheckedOut(commit=self.now, branch=self.branch)

    @override
    async def descends(self, project: Path, commit: str, base: str) -> bool:
        return self.forward


class Bench:
    def __init__(self, root: Path, *ignored: str) -> None:
        root.mkdir()
        self.root = root
        self.ignored = Told(*ignored)
        self.rescue = Moving()
        walk = DirectoryWalk(root, StatCache(), lambda: 0)
        self.last = LastLook()
        self.workspace = Workspace(root, walk, self.ignored, self.rescue, self.last)

    def write(self, name: str, text: str = "x") -> None:
        (self.root / name).write_text(text, encoding="utf-8")


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path / "root", "old.env")


async def test_a_dropped_rule_makes_nothing_new_and_a_new_rule_hides_nothing(bench: Bench) -> None:
    bench.write("old.env")
    bench.write("seen.txt")
    before = await bench.workspace.before("run_001/task-1", ())
    bench.ignored.paths = frozenset({"seen.txt", "fresh.log"})
    bench.write("seen.txt", "changed")
    bench.write("fresh.log")
    bench.write("fresh.txt")
    after = await bench.workspace.after(before, ())
    assert {c.path: c.kind for c in after.changes} == {
        "seen.txt": "modified",
        "fresh.txt": "created",
    }


async def test_a_claimed_ignored_file_is_looked_for_but_is_no_change(bench: Bench) -> None:
    bench.write("old.env")
    before = await bench.workspace.before("run_001/task-1", ())
    after = await bench.workspace.after(before, ("old.env",))
    assert "old.env" in after.files
    assert after.changes == ()


async def test_a_named_ignored_file_counts(bench: Bench) -> None:
    bench.write("old.env")
    before = await bench.workspace.before("run_001/task-1", ("old.env",))
    bench.write("old.env", "new")
    after = await bench.workspace.after(before, ())
    assert [(c.path, c.kind) for c in after.changes] == [("old.env", "modified")]


@pytest.mark.parametrize(
    ("now", "forward", "kinds"),
    [
        ("a" * 40, True, []),
        ("b" * 40, True, ["head_moved"]),
        ("b" * 40, False, ["history_rewritten"]),
        (None, True, ["history_rewritten"]),
        ("broken", True, ["history_rewritten"]),
    ],
)
async def test_history(bench: Bench, now: str | None, kinds: list[str], *, forward: bool) -> None:
    before = await bench.workspace.before("run_001/task-1", ())
    bench.rescue.now, bench.rescue.forward = now, forward
    after = await bench.workspace.after(before, ())
    assert [finding.kind for finding in after.findings] == kinds


@pytest.mark.parametrize("branch", ["topic", None])
@pytest.mark.parametrize("now", ["a" * 40, "b" * 40])
async def test_another_branch_is_told_apart_from_commits(
    bench: Bench, now: str, branch: str | None
) -> None:
    before = await bench.workspace.before("run_001/task-1", ())
    bench.rescue.now, bench.rescue.branch = now, branch
    (found,) = (await bench.workspace.after(before, ())).findings
    assert (found.kind, found.path) == ("branch_switched", branch or now)
    assert found.note == f"it was main at {'a' * 40}"


@pytest.mark.parametrize("slug", ["rescue_too_large", "program_not_started"])
async def test_no_room_for_a_rescue_is_said(bench: Bench, slug: str) -> None:
    bench.rescue.refuses = slug
    before = await bench.workspace.before("run_001/task-1", ())
    assert before.saved is None
    assert [finding.kind for finding in before.findings] == ["not_saved"]
    assert (await bench.workspace.after(before, ())).findings == ()


async def test_a_failed_rescue_stops_the_task(bench: Bench) -> None:
    bench.rescue.refuses = "git_failed"
    with pytest.raises(PmError):
        await bench.workspace.before("run_001/task-1", ())


async def test_a_directory_that_goes_away(bench: Bench) -> None:
    bench.write("seen.txt")
    before = await bench.workspace.before("run_001/task-1", ())
    (bench.root / "seen.txt").unlink()
    bench.root.rmdir()
    after = await bench.workspace.after(before, ())
    assert [(c.path, c.kind) for c in after.changes] == [("seen.txt", "deleted")]
    for look in (
        bench.workspace.before("run_001/task-2", ()),
        bench.workspace.current(frozenset()),
    ):
        with pytest.raises(PmError) as raised:
            await look
        assert raised.value.code == "E102"


async def test_a_repository_the_executor_broke_hides_nothing(bench: Bench) -> None:
    before = await bench.workspace.before("run_001/task-1", ())
    bench.ignored.broken = True
    bench.write("fresh.txt")
    after = await bench.workspace.after(before, ("../etc/passwd", "../x"))
    assert [c.path for c in after.changes] == ["fresh.txt"]
    assert [f.path for f in after.findings if f.kind == "claimed_outside"] == [
        "../etc/passwd",
        "../x",
    ]


async def test_a_pipe_where_git_would_wait_for_a_writer_is_taken_away(bench: Bench) -> None:
    before = await bench.workspace.before("run_001/task-1", ())
    os.mkfifo(bench.root / ".gitignore")
    os.mkfifo(bench.root / "mine.pipe")
    after = await bench.workspace.after(before, ())
    assert [path.name for path in bench.root.iterdir()] == ["mine.pipe"]
    assert [f.path for f in after.findings if f.kind == "special"] == [".gitignore", "mine.pipe"]


@pytest.mark.parametrize(("slug", "stops"), [("program_not_started", False), ("git_failed", True)])
async def test_where_a_task_began_is_not_known_without_git(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, slug: str, *, stops: bool
) -> None:
    assert await bench.workspace.saved_first("task-1") is None
    await bench.workspace.before("run_001/task-1", ())
    saved = await bench.workspace.saved_first("task-1")
    assert saved is not None
    assert saved.ref == "run_001/task-1"

    async def refuse(*_: object) -> tuple[str, ...]:
        raise PmError(slug, program="git", reason="r", operation="o")

    monkeypatch.setattr(bench.rescue, "names", refuse)
    with pytest.raises(PmError) if stops else nullcontext():
        assert await bench.workspace.saved_first("task-1") is None


async def test_late_writes_are_reported(bench: Bench) -> None:
    before = await bench.workspace.before("run_001/task-1", ())
    after = await bench.workspace.after(before, ())
    bench.write("late.txt")
    late = await bench.workspace.written_since(after)
    assert [(f.kind, f.path, f.note) for f in late] == [
        ("written_while_checked", "late.txt", "created")
    ]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("a", "a"),
        ("./a//b", "a/b"),
        ("/p/x", "x"),
        ("/else/x", "../else/x"),
        ("", ""),
        ("../x", "../x"),
    ],
)
def test_claimed_names(given: str, expected: str) -> None:
    assert project_path(Path("/p"), given) == expected


@pytest.mark.parametrize("guess", [None, frozenset[str](), {"old.env"}, {"old.env", "seen.txt"}])
async def test_what_was_ignored_before_is_only_a_guess(
    bench: Bench, guess: set[str] | None
) -> None:
    bench.write("old.env")
    bench.write("seen.txt")
    bench.last.ignored = None if guess is None else frozenset(guess)
    before = await bench.workspace.before("run_001/task", ())
    assert set(before.files) == {"seen.txt"}
    assert bench.last.ignored == {"old.env"}


@pytest.fixture
def repository(bench: Bench) -> Bench:
    """After one whole task, at whose end new.txt was there."""
    (bench.root / ".git" / "info").mkdir(parents=True)
    for name in (".git/config", ".git/info/exclude", ".gitignore", "seen.txt"):
        bench.write(name, "*.env\n")
    return bench


async def whole_task(bench: Bench, *made: str) -> set[str]:
    before = await bench.workspace.before("run_001/task", ())
    for name in made:
        bench.write(name)
    return {change.path for change in (await bench.workspace.after(before, ())).changes}


async def test_git_is_not_asked_about_a_tree_that_nobody_touched(repository: Bench) -> None:
    assert await whole_task(repository, "new.txt") == {"new.txt"}
    asked = repository.ignored.asked
    assert await whole_task(repository) == set()
    assert repository.ignored.asked == asked


@pytest.mark.parametrize(
    "touched", [".gitignore", ".git/info/exclude", ".git/config", "seen.txt", "other.txt"]
)
async def test_git_is_asked_again_where_its_answer_can_differ(
    repository: Bench, touched: str
) -> None:
    await whole_task(repository, "new.txt")
    asked = repository.ignored.asked
    repository.write(touched, "another text\n")
    repository.ignored.paths = frozenset({"old.env", "seen.txt"})
    before = await repository.workspace.before("run_002/task", ())
    assert repository.ignored.asked > asked
    assert "seen.txt" not in before.files


async def test_a_new_file_that_git_ignores_is_no_work(repository: Bench) -> None:
    await whole_task(repository)
    repository.ignored.paths = frozenset({"old.env", "late.env"})
    assert await whole_task(repository, "late.env", "real.txt") == {"real.txt"}


async def test_below_a_repository_git_is_always_asked(bench: Bench) -> None:
    bench.write("seen.txt")
    await whole_task(bench)
    asked = bench.ignored.asked
    await whole_task(bench)
    assert bench.ignored.asked > asked
