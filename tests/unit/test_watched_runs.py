"""Runs as they are seen from outside: listed, and followed to an end that nobody wrote down."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from pm_orchestrator.domain.errors import NeedsPersonError, PmError
from pm_orchestrator.domain.history.session import RunTrigger
from pm_orchestrator.domain.history.task_log import CUT_OFF
from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.runner.sessions.run_list import run_lines
from pm_orchestrator.runner.sessions.run_watch import Happening, RunWatch, WatchEnd
from pm_orchestrator.runner.sessions.session_view import view
from pm_orchestrator.testing.memory.memory_office import PATHS, MemoryOffice


@pytest.fixture
def office() -> MemoryOffice:
    return MemoryOffice()


def lives(_: str) -> bool:
    return True


def is_dead(_: str) -> bool:
    return False


def log_file(office: MemoryOffice) -> Path:
    (found,) = [path for path in office.disk if path.parent.name == "tasks"]
    return found


async def followed(watch: RunWatch) -> tuple[list[Happening], WatchEnd]:
    *before, end = [happening async for happening in watch.follow(watch.find(None))]
    assert isinstance(end, WatchEnd)
    return before, end


async def test_how_each_run_stands(office: MemoryOffice) -> None:
    session = await office.sessions.start()
    await office.ask(session, "run_001")
    await office.end(session, "run_002", asyncio.CancelledError())
    await office.end(session, "run_003", PmError("disk", path="/project", reason="no space"))
    await office.die_at_work(session, "run_004")

    def words(alive: Callable[[str], bool]) -> list[str]:
        return [line.status for line in run_lines(office.book, PATHS, alive)]

    assert words(lives) == ["INCOMPLETE", "CANCELLED", "ERROR", "IN_PROGRESS"]
    assert words(is_dead) == ["INCOMPLETE", "CANCELLED", "ERROR", "ERROR"]


async def test_a_run_whose_task_went_on_later_is_not_complete(
    office: MemoryOffice,
) -> None:
    session = await office.sessions.start()
    task = await office.ask(session)
    log = office.book.read(session.session_id, task)
    again = session.same_task(log, "run_002", "fake", RunTrigger.CONTINUATION)
    await office.end_run(session, again, NeedsPersonError("ask_target"))
    first, second = run_lines(office.book, PATHS, lives)
    assert (first.task_id, first.status) == (None, "INCOMPLETE")
    assert (second.task_id, second.status) == (task, "INCOMPLETE")


async def test_a_task_that_is_about_to_begin_its_log_is_waited_for(office: MemoryOffice) -> None:
    await office.ask(await office.sessions.start())
    log = log_file(office)
    content = office.disk.pop(log)
    asked: list[str] = []

    def begins_later(session_id: str) -> bool:
        asked.append(session_id)
        if len(asked) == 3:
            office.disk[log] = content
        return True

    happened, end = await followed(office.watch(begins_later))
    assert len(asked) == 3
    assert (end.status, happened != []) == (TaskStatus.INCOMPLETE, True)


async def test_a_task_that_never_began_its_log_was_cut_off(office: MemoryOffice) -> None:
    await office.ask(await office.sessions.start())
    del office.disk[log_file(office)]
    happened, end = await followed(office.watch(is_dead))
    assert happened == []
    assert (end.status, end.reason, end.task_id) == (TaskStatus.ERROR, CUT_OFF, None)


async def test_an_owner_that_dies_at_work_ends_the_run(office: MemoryOffice) -> None:
    task = await office.die_at_work(await office.sessions.start())
    _, end = await followed(office.watch(is_dead))
    assert (end.status, end.reason, end.task_id) == (TaskStatus.ERROR, CUT_OFF, task)


async def test_an_owner_that_ended_in_order_while_it_was_asked_for_is_heard(
    office: MemoryOffice,
) -> None:
    await office.ask(await office.sessions.start())
    log = log_file(office)
    ended = office.disk[log]
    office.disk[log] = ended.replace(b'"status": "incomplete"', b'"status": "running"')
    assert office.disk[log] != ended

    def ends_meanwhile(_: str) -> bool:
        office.disk[log] = ended
        return False

    _, end = await followed(office.watch(ends_meanwhile))
    assert end.status is TaskStatus.INCOMPLETE
    assert end.reason != CUT_OFF


async def test_a_log_that_cannot_be_read_is_said(office: MemoryOffice) -> None:
    await office.ask(await office.sessions.start())
    watch = office.watch(lives)
    watched = watch.find(None)
    office.disk[log_file(office)] = b"{"
    with pytest.raises(PmError) as broken:
        [happening async for happening in watch.follow(watched)]
    assert broken.value.slug != "artifacts_missing"


async def test_a_session_without_its_record_is_unknown(office: MemoryOffice) -> None:
    """Its start was cut off between the list of sessions and the record."""
    session = await office.sessions.start()
    (state,) = [path for path in office.disk if path.name == "session_state.json"]
    del office.disk[state]
    with pytest.raises(PmError) as unknown:
        view(office.book, session.session_id)
    assert unknown.value.slug == "session_unknown"
