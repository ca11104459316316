"""Who may write a journal, and what happens to it when its code or its file is wrong."""

import asyncio
import os
import sqlite3
from pathlib import Path

import pytest

from pm_orchestrator.adapters.engines.journal import Journal
from pm_orchestrator.adapters.engines.local import LocalEngine
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.ports.engine import Engine, StepContext
from pm_orchestrator.testing.contracts.durable_engine_contract import StoppedError
from pm_orchestrator.testing.contracts.engine_contract import ECHO, Bodies, Value, one_step
from pm_orchestrator.testing.memory.fake_clock import FakeClock


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.db"


async def test_a_second_owner_is_refused_and_told_who_holds_it(path: Path) -> None:
    journal = await Journal.open(path)
    try:
        with pytest.raises(PmError) as caught:
            await Journal.open(path)
        assert caught.value.code == "E402"
        assert str(os.getpid()) in caught.value.what()
    finally:
        journal.close()
    (await Journal.open(path)).close()


async def test_an_owner_that_was_replaced_cannot_write(path: Path, clock: FakeClock) -> None:
    """The run ends with E402, even if its code tries to go on."""

    async def lose_the_lease(given: Value, context: StepContext) -> Value:
        path.with_name("journal.db.lock").unlink()
        (await Journal.open(path)).close()
        return given

    async def stubborn(engine: Engine, given: Value) -> Value:
        try:
            return await engine.step(ECHO, given, key="one")
        except asyncio.CancelledError:
            return given

    engine = LocalEngine(path, Bodies(lose_the_lease), clock)
    with pytest.raises(PmError) as caught:
        await engine.execute(stubborn, Value(), Value)
    assert caught.value.code == "E402"
    journal = await Journal.open(path)
    try:
        recorded = await journal.begin(b"", "")
    finally:
        journal.close()
    assert recorded.answers == ()
    assert recorded.outcome is None


async def test_a_step_the_code_no_longer_asks_for_is_refused(path: Path, clock: FakeClock) -> None:
    async def before(engine: Engine, given: Value) -> Value:
        await engine.step(ECHO, given, key="old")
        raise StoppedError

    async def after(engine: Engine, given: Value) -> Value:
        return await engine.step(ECHO, given, key="new")

    async def nothing(engine: Engine, given: Value) -> Value:
        return given

    engine = LocalEngine(path, Bodies(), clock)
    with pytest.raises(StoppedError):
        await engine.execute(before, Value(), Value)
    for changed in (after, nothing):
        with pytest.raises(PmError) as caught:
            await engine.execute(changed, Value(), Value)
        assert (caught.value.code, caught.value.slug) == ("E204", "step_not_repeated")


async def test_a_body_that_cancels_itself_ends_the_run_instead_of_hanging(
    path: Path, clock: FakeClock
) -> None:
    async def give_up(given: Value, context: StepContext) -> Value:
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await LocalEngine(path, Bodies(give_up), clock).execute(one_step, Value(), Value)
    bodies = Bodies()
    assert await LocalEngine(path, bodies, clock).execute(one_step, Value(), Value) == Value()
    assert bodies.calls == [("one", 2)]


def test_a_file_that_is_no_journal_is_refused(path: Path, clock: FakeClock) -> None:
    path.write_bytes(b"this is a letter, not a database" * 100)
    with pytest.raises(PmError) as caught:
        asyncio.run(LocalEngine(path, Bodies(), clock).execute(one_step, Value(), Value))
    assert caught.value.code == "E902"
    assert path.read_bytes().startswith(b"this is a letter")


async def test_a_journal_of_another_format_is_refused(path: Path, clock: FakeClock) -> None:
    db = sqlite3.connect(path)
    db.execute("PRAGMA user_version = 99")
    db.close()
    with pytest.raises(PmError) as caught:
        await LocalEngine(path, Bodies(), clock).execute(one_step, Value(), Value)
    assert "format 99" in caught.value.what()


async def test_a_place_that_does_not_exist_is_refused(tmp_path: Path, clock: FakeClock) -> None:
    with pytest.raises(PmError) as caught:
        await LocalEngine(tmp_path / "no" / "j.db", {}, clock).execute(one_step, Value(), Value)
    assert caught.value.code == "E902"


async def test_an_answer_for_a_step_that_never_started_is_refused(
    path: Path, clock: FakeClock
) -> None:
    """A journal that was swapped under a running engine stops the run."""

    async def swap(given: Value, context: StepContext) -> Value:
        db = sqlite3.connect(path)
        with db:
            db.execute("DELETE FROM step")
        db.close()
        return given

    with pytest.raises(PmError) as caught:
        await LocalEngine(path, Bodies(swap), clock).execute(one_step, Value(), Value)
    assert caught.value.slug == "step_not_repeated"


async def test_a_recorded_step_needs_no_implementation(path: Path, clock: FakeClock) -> None:
    async def before(engine: Engine, given: Value) -> Value:
        await engine.step(ECHO, given, key="one")
        raise StoppedError

    with pytest.raises(StoppedError):
        await LocalEngine(path, Bodies(), clock).execute(before, Value(), Value)
    assert await LocalEngine(path, {}, clock).execute(one_step, Value(), Value) == Value()
