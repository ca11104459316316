"""R-23: between tasks anybody may edit `repl.json`; while one runs, commands alone do."""

from pathlib import Path

import pytest

from pm_orchestrator.adapters.stores.local_files import LocalFiles
from pm_orchestrator.adapters.system_clock import SystemClock
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.repl_state import ReplState
from pm_orchestrator.runner.records.repl_states import ReplStates


class Desk:
    """A project's file, the copy beside the head, and what was proved."""

    def __init__(self, root: Path) -> None:
        self.file = root / "repl.json"
        self.copies = root / "state" / "running"
        head = root / "state" / "heads" / "project.json"
        self.states = ReplStates(LocalFiles(SystemClock()), SystemClock(), self.file, head)
        self.proofs = 0

    async def prove(self) -> None:
        self.proofs += 1

    async def prove_selection(self, old: ReplState, new: ReplState) -> None:
        self.proofs += 1

    async def select(self, model: str) -> None:
        await self.states.select(lambda s, now: s.with_model(model, now), self.prove_selection)

    def edit(self, old: str, new: str) -> None:
        text = self.file.read_text("utf-8")
        assert old in text
        self.file.write_text(text.replace(old, new), encoding="utf-8")

    @property
    def model(self) -> str | None:
        return self.states.read().selected_model

    @property
    def copied(self) -> bool:
        return self.copies.exists() and any(self.copies.iterdir())


@pytest.fixture
async def desk(tmp_path: Path) -> Desk:
    made = Desk(tmp_path)
    await made.select("first")
    made.proofs = 0
    return made


async def test_between_tasks_the_file_says_it(desk: Desk) -> None:
    assert not desk.copied
    desk.edit("first", "by hand")
    assert desk.model == "by hand"
    await desk.states.started("task-1")
    assert (desk.model, desk.copied) == ("by hand", True)
    await desk.states.ended("task-1")
    assert not desk.copied
    desk.edit("by hand", "again")
    await desk.states.put_back(desk.prove)
    assert (desk.model, desk.proofs) == ("again", 0)


@pytest.mark.parametrize("damage", ["edited", "broken", "gone", "contradicts itself"])
async def test_while_a_task_runs_commands_say_it(desk: Desk, damage: str) -> None:
    await desk.states.started("task-1")
    await desk.select("second")
    desk.proofs = 0
    await desk.states.put_back(desk.prove)
    assert (desk.model, desk.proofs) == ("second", 0), "nothing was altered"
    if damage == "edited":
        desk.edit("second", "third")
    elif damage == "broken":
        desk.file.write_text("{", encoding="utf-8")
    elif damage == "contradicts itself":
        desk.edit('"last_task_id": null', '"last_task_id": "task-1"')
    else:
        desk.file.unlink()
    assert desk.model == "second"
    await desk.states.put_back(desk.prove)
    assert desk.proofs == 1
    assert "second" in desk.file.read_text("utf-8")
    await desk.states.ended("task-1")
    state = desk.states.read()
    assert (state.selected_model, state.last_task_id) == ("second", "task-1")
    assert not desk.copied


async def test_a_selection_goes_out_from_what_was_selected(desk: Desk) -> None:
    """Or a command would put on record, in passing, what somebody wrote into the file."""
    await desk.states.started("task-1")
    desk.edit('"selected_provider": null', '"selected_provider": "openai"')
    await desk.select("second")
    state = desk.states.read()
    assert (state.selected_provider, state.selected_model) == (None, "second")
    assert "openai" not in desk.file.read_text("utf-8")


async def test_a_broken_file_is_an_error_between_tasks_and_never_repaired(desk: Desk) -> None:
    desk.file.write_text("{", encoding="utf-8")
    await desk.states.put_back(desk.prove)
    with pytest.raises(PmError, match="E105"):
        desk.states.read()
    assert (desk.file.read_text("utf-8"), desk.proofs) == ("{", 0)


async def test_what_is_no_file_is_said_in_a_few_words(desk: Desk) -> None:
    desk.file.unlink()
    desk.file.mkdir()
    with pytest.raises(PmError, match="E105") as raised:
        desk.states.read()
    assert raised.value.params == {"path": desk.file, "reason": "it is not a regular file"}


async def test_a_copy_that_cannot_be_read_says_nothing(desk: Desk) -> None:
    await desk.states.started("task-1")
    (copy,) = desk.copies.iterdir()
    copy.write_text("{}", encoding="utf-8")
    desk.edit("first", "by hand")
    assert desk.model == "by hand"


async def test_the_copy_goes_with_the_task_that_it_was_made_for(desk: Desk) -> None:
    """The write of the file may be what was cut off: nothing was altered then."""
    before = desk.file.read_bytes()
    await desk.states.started("task-1")
    desk.file.write_bytes(before)
    await desk.states.put_back(desk.prove)
    assert (desk.states.read().current_task_id, desk.proofs) == (None, 0)
    await desk.states.ended("task-1")
    assert not desk.copied
