"""Branches as a place, over a repository that is a dictionary."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.judging.effect import Recorded, Refs, Standing
from pm_orchestrator.domain.judging.outcome import FileChange
from pm_orchestrator.gates.detect.base_tree import THERE
from pm_orchestrator.ports.process import CommandResult
from pm_orchestrator.ports.repository import Repository
from pm_orchestrator.ports.sandbox import HostDirectory, SandboxSpec
from pm_orchestrator.runner.places import branches
from pm_orchestrator.runner.places.branches import Branches, BranchParts
from pm_orchestrator.runner.places.judged.checkout_gates import Checkouts
from pm_orchestrator.runner.places.place import Seen
from pm_orchestrator.testing.memory.memory_sandbox import MemorySandbox, succeed

BASE, TREE = "b" * 40, "c" * 40
FILES = {"run.sh": b"echo\n", "a.sh": b"a\n", "b.sh": b"b\n", "bin/tool": b"t\n"}
TREES = {BASE: FILES, TREE: {**FILES, "big.bin": b"x" * 9, "s": b"s"}}
EXECUTABLE = {BASE: {"run.sh"}, TREE: {"run.sh", "a.sh"}}


class Shelf:
    """Two commits; remembers what was read together."""

    def __init__(self) -> None:
        self.ahead: list[tuple[str, ...]] = []

    async def descends(self, commit: str, base: str) -> bool:
        return commit in TREES

    async def holds(self, commit: str, path: str) -> bool:
        return path in TREES[commit]

    async def files(self, commit: str) -> tuple[str, ...]:
        return tuple(TREES[commit])

    async def read(self, commit: str, path: str) -> bytes | None:
        return TREES[commit].get(path)

    async def read_all(self, commit: str, paths: Sequence[str]) -> dict[str, bytes]:
        self.ahead.append(tuple(paths))
        return {path: TREES[commit][path] for path in paths}

    async def standing(self, commit: str, path: str) -> Standing:
        if path not in TREES[commit]:
            return Standing()
        return Standing(kind="file", executable=path in EXECUTABLE[commit])

    async def changes(self, base: str, commit: str) -> tuple[FileChange, ...]:
        new = TREES[commit].keys() - TREES[base].keys()
        return tuple(
            FileChange(path=path, kind="created", size=len(TREES[commit][path]))
            for path in sorted(new)
        )


class Runtime:
    """Opens one sandbox, whose programs a test decides on."""

    def __init__(self, sandbox: MemorySandbox) -> None:
        self._sandbox = sandbox

    async def open(self, spec: SandboxSpec) -> MemorySandbox:
        return self._sandbox


def place(
    shelf: Shelf, sandbox: MemorySandbox | None = None, *directories: HostDirectory
) -> Branches:
    nobody = cast("Any", None)
    checkouts = Checkouts(
        repository=cast("Repository", shelf),
        runtime=cast("Any", Runtime(sandbox or MemorySandbox())),
        spec=SandboxSpec(name="run_001", directories=directories),
        timeout_s=1.0,
        logs=nobody,
    )
    return Branches(
        BranchParts(
            project=Path("/project"),
            base=BASE,
            repository=cast("Repository", shelf),
            handover=nobody,
            pool=nobody,
            merger=nobody,
            checkouts=checkouts,
            events=nobody,
            logs=nobody,
            log=nobody,
        )
    )


async def test_files_that_became_executable_are_changes_and_others_are_not() -> None:
    wanted = ("run.sh", "a.sh", "b.sh", "never.sh")
    seen = await place(Shelf()).look(TREE, (), wanted)
    assert [(c.path, c.kind) for c in seen.changes] == [
        ("big.bin", "created"),
        ("s", "created"),
        ("a.sh", "modified"),
    ]


async def test_what_is_delivered_is_a_commit_with_all_of_its_changes() -> None:
    where = place(Shelf())
    seen = await where.look(TREE, ())
    recorded = await where.recorded(seen, Refs(head=BASE), ())
    assert recorded == Recorded(refs=Refs(head=TREE), committed=frozenset({"big.bin", "s"}))
    assert await where.refs() == Refs(head=BASE)


async def test_large_files_are_read_only_when_they_are_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(branches, "BYTES_AHEAD", 16)
    shelf = Shelf()
    where = place(shelf)
    seen: Seen = await where.look(TREE, ())
    assert await where.read_now(seen, "big.bin") == b"x" * 9
    assert await where.read_now(seen, "s") == b"s"
    assert shelf.ahead == [("s",)]


@pytest.mark.parametrize(
    ("argv", "can"),
    [
        (("bin/tool", "check"), True),
        ((".venv/bin/pytest",), False),
        (("make", "test"), True),
    ],
)
async def test_a_program_of_the_project_is_looked_for_in_its_commit(
    argv: tuple[str, ...], *, can: bool
) -> None:
    sandbox = MemorySandbox()
    assert await place(Shelf(), sandbox).can_run(argv) is can
    assert bool(sandbox.commands) is ("/" not in argv[0])


@pytest.mark.parametrize(("size", "fits"), [(100, True), (128 * 1024**2, True), (2**28 + 1, False)])
async def test_a_repository_without_room_is_refused(
    monkeypatch: pytest.MonkeyPatch, size: int, *, fits: bool
) -> None:
    imported: list[str] = []

    async def tree_size(_shelf: Shelf, _project: Path, _commit: str) -> int:
        return size

    async def import_base(_shelf: Shelf, _project: Path, ref: str) -> str:
        imported.append(ref)
        return BASE

    monkeypatch.setattr(Shelf, "tree_size", tree_size, raising=False)
    monkeypatch.setattr(Shelf, "import_base", import_base, raising=False)
    if fits:
        await place(Shelf()).open()
        assert imported == [BASE]
        return
    with pytest.raises(PmError, match="E704") as refused:
        await place(Shelf()).open()
    assert refused.value.params == {"needed": 513, "room": 512}
    # Before anything is copied.
    assert imported == []


async def test_what_is_installed_is_looked_for_where_it_is_seen() -> None:
    sandbox = MemorySandbox()
    where = place(Shelf(), sandbox, HostDirectory(source=Path("/p/.venv"), at=".venv"))
    assert await where.can_run((".venv/bin/pytest",))
    assert sandbox.commands == [("sh", "-c", THERE, ".venv/bin/pytest")]
    assert not await where.can_run((".venvs/bin/pytest",))


async def test_a_sandbox_that_fails_can_run_nothing() -> None:
    def fail(_: tuple[str, ...]) -> CommandResult:
        raise PmError("sandbox_gone", reason="killed")

    sandbox = MemorySandbox(fail)
    assert not await place(Shelf(), sandbox).can_run(("make", "test"))
    assert sandbox.closed
    assert await place(Shelf(), MemorySandbox(lambda _: succeed())).can_run(("make", "test"))


def test_the_records_name_the_company() -> None:
    assert place(Shelf()).executor == "company"
