"""R-1, R-23: while a task runs in the directory, the settings count as they were when it began."""

from pathlib import Path

import pytest

from pm_orchestrator.adapters.stores.local_files import LocalFiles
from pm_orchestrator.adapters.system_clock import SystemClock
from pm_orchestrator.domain.history.repl_state import ReplState
from pm_orchestrator.evidence.guard.held_settings import HeldSettings
from pm_orchestrator.runner.records.repl_states import ReplStates

OURS = b'{"task_limits": {"files": 20}, "theirs": 1}'


class Desk:
    """A project's settings, the copy outside, and what was proved."""

    def __init__(self, root: Path) -> None:
        self.file = root / "settings.json"
        self.copies = root / "state" / "running"
        head = root / "state" / "heads" / "project.json"
        self.held = HeldSettings(LocalFiles(SystemClock()), self.file, head)
        self.proofs = 0
        self.file.write_bytes(OURS)

    async def prove(self) -> None:
        assert self.file.exists() == self.there, "nothing is touched before it is on record"
        self.proofs += 1

    async def put_back(self) -> None:
        self.there = self.file.exists()
        await self.held.put_back(self.prove)

    @property
    def aside(self) -> list[bytes]:
        return [path.read_bytes() for path in sorted(self.file.parent.glob("*.put-aside-*"))]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


async def test_nobody_holds_them_between_tasks(desk: Desk) -> None:
    assert desk.held.before() is None
    await desk.held.hold()
    await desk.held.let_go()
    desk.file.write_bytes(b"{}")
    assert desk.held.before() is None
    await desk.put_back()
    assert (desk.file.read_bytes(), desk.proofs, desk.aside) == (b"{}", 0, [])


@pytest.mark.parametrize("other", [b'{"task_limits": {"files": 1}, "theirs": 1}', b"{}", b"{", b""])
async def test_what_was_altered_is_put_back_and_kept_beside(desk: Desk, other: bytes) -> None:
    await desk.held.hold()
    desk.file.write_bytes(other)
    assert desk.held.before() == OURS
    await desk.put_back()
    await desk.put_back()
    assert (desk.file.read_bytes(), desk.proofs, desk.aside) == (OURS, 1, [other])
    assert desk.held.before() is None


async def test_what_is_gone_is_put_back(desk: Desk) -> None:
    await desk.held.hold()
    desk.file.unlink()
    await desk.put_back()
    assert (desk.file.read_bytes(), desk.proofs, desk.aside) == (OURS, 1, [])


async def test_a_directory_in_their_place_is_put_aside(desk: Desk) -> None:
    await desk.held.hold()
    desk.file.unlink()
    desk.file.mkdir()
    await desk.put_back()
    assert (desk.file.read_bytes(), desk.proofs) == (OURS, 1)


async def test_the_keys_of_others_are_theirs(desk: Desk) -> None:
    await desk.held.hold()
    desk.file.write_bytes(b'{"task_limits": {"files": 20}, "theirs": 2, "more": []}')
    assert desk.held.before() is None
    await desk.put_back()
    assert desk.proofs == 0


async def test_nothing_is_held_of_nothing(desk: Desk) -> None:
    desk.file.unlink()
    await desk.held.hold()
    assert not desk.copies.exists()


async def test_they_are_held_for_as_long_as_a_task_runs(desk: Desk, tmp_path: Path) -> None:
    clock = SystemClock()
    head = tmp_path / "state" / "heads" / "project.json"
    states = ReplStates(LocalFiles(clock), clock, tmp_path / "repl.json", head, desk.held)
    await states.select(lambda state, now: state.with_model("one", now), nothing_to_prove)
    desk.file.write_bytes(b"{}")
    assert desk.held.before() is None
    await states.started("task-1")
    desk.file.write_bytes(OURS)
    # Whoever selects meanwhile says nothing of the settings.
    await states.select(lambda state, now: state.with_model("two", now), nothing_to_prove)
    assert desk.held.before() == b"{}"
    await states.ended("task-1")
    assert desk.held.before() is None
    assert list(desk.copies.iterdir()) == []


async def nothing_to_prove(old: ReplState, new: ReplState) -> None:
    assert old != new
