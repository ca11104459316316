"""Undo restores exactly, and the undo of an undo does too."""

import asyncio
import shutil
import stat
import tempfile
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from typing_extensions import override

from pm_orchestrator.adapters.git.command import Git, isolated_environment
from pm_orchestrator.adapters.git.rescue.git_rescue import GitRescue
from pm_orchestrator.adapters.git.rescue.rescue_place import RescuePlaces
from pm_orchestrator.adapters.git.user.git_ignored import GitIgnored
from pm_orchestrator.adapters.subprocesses import LocalCommands
from pm_orchestrator.adapters.system_clock import SystemClock
from pm_orchestrator.domain.tasks.evidence_record import Evidence
from pm_orchestrator.evidence.look.snapshot import DirectoryWalk
from pm_orchestrator.evidence.look.stat_cache import StatCache
from pm_orchestrator.ports.ignored import IgnoredFiles
from pm_orchestrator.ports.recorder import Operation, Recorder
from pm_orchestrator.ports.rescue import Rescue
from pm_orchestrator.runner.places.workspace import Workspace
from pm_orchestrator.runner.tasks.undo import UndoFiles
from pm_orchestrator.testing.benches.git_project import ENVIRONMENT, GitProject
from pm_orchestrator.testing.memory.memory_rescue import MemoryRescue

NAMES = st.sampled_from(["a.txt", "b.txt", "src/c.py", "src/deep/d", "日本.md", "log.ignored"])
CONTENTS = st.sampled_from([b"", b"one\r\n", b"two\n", bytes(range(256)), "文\n".encode()])
MODES = st.sampled_from([0o644, 0o755, 0o600, 0o444])
State = dict[str, tuple[int, bytes]]


class NoIgnored(IgnoredFiles):
    """A project without rules, but with one name that is nobody's business."""

    @override
    async def ignored(self, project: Path) -> frozenset[str]:
        return frozenset({"log.ignored"})


class Counted(Recorder):
    """Evidence with a number, kept nowhere."""

    def __init__(self) -> None:
        self.operations: list[Operation] = []

    @override
    async def record(self, operation: Operation) -> Evidence:
        self.operations.append(operation)
        return Evidence(
            evidence_id=f"ev-{len(self.operations)}",
            timestamp="",
            operation_type=operation.type,
            artifacts=(),
            hash="",
            raw_logs="",
            atomic_operation=True,
            raw_evidence_refs=(),
            integrity_validated=True,
            contains_sensitive_data=False,
        )


class UndoMachine(RuleBasedStateMachine):
    """Random files, random edits; any task can be undone and brought back at any time."""

    def __init__(self) -> None:
        super().__init__()
        self.home = Path(tempfile.mkdtemp(prefix="undo-"))
        self.root = self.home / "project"
        self.root.mkdir()
        self.loop = asyncio.new_event_loop()
        ignored, rescue = self.parts()
        self.workspace = Workspace(
            self.root, DirectoryWalk(self.root, StatCache(), lambda: 0), ignored, rescue
        )
        self.recorder = Counted()
        self.undoing = UndoFiles(self.root, self.workspace, rescue, self.recorder)
        self.before: dict[str, State] = {}
        self.undone: dict[str, State] = {}
        self.untouched: bytes | None = None

    def parts(self) -> tuple[IgnoredFiles, Rescue]:
        return NoIgnored(), MemoryRescue()

    @override
    def teardown(self) -> None:
        self.loop.close()
        shutil.rmtree(self.home)

    def state(self) -> State:
        found: State = {}
        for path in self.root.rglob("*"):
            name = path.relative_to(self.root).as_posix()
            if name.startswith(".git") or name == "log.ignored":
                continue
            if path.is_symlink():
                found[name] = (0, str(path.readlink()).encode())
            elif path.is_file():
                found[name] = (stat.S_IMODE(path.stat().st_mode), path.read_bytes())
        return found

    @initialize(data=CONTENTS)
    def an_ignored_file(self, data: bytes) -> None:
        (self.root / "log.ignored").write_bytes(data)
        self.untouched = data

    @rule(name=NAMES, data=CONTENTS, mode=MODES)
    def write(self, name: str, data: bytes, mode: int) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        path.write_bytes(data)
        path.chmod(mode)
        if name == "log.ignored":
            self.untouched = data

    @rule(name=NAMES)
    def delete(self, name: str) -> None:
        if name != "log.ignored":
            (self.root / name).unlink(missing_ok=True)

    @rule(name=NAMES)
    def link(self, name: str) -> None:
        if name != "log.ignored":
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.unlink(missing_ok=True)
            path.symlink_to("somewhere/else")

    @rule()
    def begin_task(self) -> None:
        task = f"task-{len(self.before) + 1}"
        self.before[task] = self.state()
        self.loop.run_until_complete(self.workspace.before(f"run_001/{task}", ()))

    @rule(pick=st.integers(min_value=0, max_value=9))
    def undo(self, pick: int) -> None:
        if not self.before:
            return
        task = sorted(self.before)[pick % len(self.before)]
        now = self.state()
        end = self.loop.run_until_complete(self.undoing.undo("session", task))
        if task in self.undone:
            assert end.direction == "redone"
            assert self.state() == self.undone.pop(task)
        else:
            assert end.direction == "undone"
            assert self.state() == self.before[task]
            self.undone[task] = now
        changed = {p for p, s in self.state().items() if now.get(p) != s}
        # A change of permissions alone is put back, but is no other content.
        assert set(end.files_written) <= changed
        assert set(end.files_removed) == set(now) - set(self.state())
        assert self.recorder.operations[-1].type == "undo"

    @invariant()
    def ignored_files_are_nobodys_business(self) -> None:
        if self.untouched is not None:
            assert (self.root / "log.ignored").read_bytes() == self.untouched


@cache
def repository() -> dict[str, bytes]:
    """A repository full of rules that would alter contents; made once, laid down for each case."""
    with tempfile.TemporaryDirectory(prefix="undo-") as folder:
        project = GitProject(Path(folder), "--template=")
        project.git("config", "core.autocrlf", "true")
        project.write(".gitignore", "*.ignored\n")
        project.write(".gitattributes", "* text=auto eol=lf\n")
        project.commit("start")
        found = (path for path in project.path.rglob("*") if path.is_file())
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


@cache
def commands() -> LocalCommands:
    """One door for all cases: its zygote need not be started for each."""
    return LocalCommands().trusted()


class GitUndoMachine(UndoMachine):
    """The same with real git."""

    @override
    def parts(self) -> tuple[IgnoredFiles, Rescue]:
        for name, content in repository().items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

        async def sink(line: str) -> None:
            assert line

        git = Git(commands(), SystemClock(), sink, isolated_environment(ENVIRONMENT["PATH"]))
        return GitIgnored(git), GitRescue(RescuePlaces(git, self.home / "state", "project"))


class PlainUndoMachine(GitUndoMachine):
    """Real git, in a directory that is no repository."""

    @override
    def parts(self) -> tuple[IgnoredFiles, Rescue]:
        _, rescue = super().parts()
        shutil.rmtree(self.root)
        self.root.mkdir()
        return NoIgnored(), rescue


def test_what_was_saved_last_is_not_taken_for_what_lies_there() -> None:
    """Without a repository nothing else tells that an undo has come between."""
    walk = PlainUndoMachine()
    try:
        for name in ("a.txt", "b.txt"):
            walk.begin_task()
            walk.write(name, b"one", 0o644)
        walk.undo(1)
        walk.write("b.txt", b"one", 0o644)
        walk.undo(0)
        assert walk.state() == {}
    finally:
        walk.teardown()


class ManyGitUndoMachine(GitUndoMachine):
    """As many walks as the long tests have time for."""


TestUndoInMemory = UndoMachine.TestCase
TestUndoWithGit = GitUndoMachine.TestCase
# Each step is a dozen processes; the cheap machine above walks the same rules in the full number.
TestUndoWithGit.settings = settings(max_examples=25, stateful_step_count=12)
TestUndoWithGitAtLength = pytest.mark.long(pytest.mark.timeout(280)(ManyGitUndoMachine.TestCase))
TestUndoWithGitAtLength.settings = settings(max_examples=300, stateful_step_count=16)
