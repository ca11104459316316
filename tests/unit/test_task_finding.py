"""A task is found by what a person types of its id, in whichever session it is."""

import pytest

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.runner.sessions.task_finding import FoundTask, find_task
from pm_orchestrator.testing.memory.memory_office import MemoryOffice


@pytest.fixture
def office() -> MemoryOffice:
    return MemoryOffice()


async def test_a_task_of_any_session_is_found_by_its_id(office: MemoryOffice) -> None:
    older, newer = await office.sessions.start(), await office.sessions.start()
    first = await office.ask(older, "run_001")
    await office.clock.sleep(1)
    second = await office.ask(newer, "run_002")
    for session, task in ((older, first), (newer, second)):
        assert find_task(office.book, task) == FoundTask(session.session_id, task)


async def test_a_beginning_finds_the_only_task_that_has_it(office: MemoryOffice) -> None:
    session = await office.sessions.start()
    task = await office.ask(session)
    for typed in (task[:-1], task[:8], "t"):
        assert find_task(office.book, typed).task_id == task
    for typed in ("", "x", f"{task}0", task[1:]):
        with pytest.raises(PmError) as none:
            find_task(office.book, typed)
        assert none.value.slug == "task_nowhere"


async def test_a_beginning_of_several_ids_is_no_name(office: MemoryOffice) -> None:
    first = await office.ask(await office.sessions.start(), "run_001")
    await office.clock.sleep(1)
    second = await office.ask(await office.sessions.start(), "run_002")
    with pytest.raises(PmError) as several:
        find_task(office.book, "task-")
    assert several.value.slug == "task_ambiguous"
    assert first in several.value.what()
    assert second in several.value.what()


async def test_the_id_of_a_log_is_that_of_the_session_in_use(office: MemoryOffice) -> None:
    older, newer = await office.sessions.start(), await office.sessions.start()
    first = await office.ask(older, "run_001")
    await office.clock.sleep(1)
    second = await office.ask(newer, "run_002")
    assert find_task(office.book, "task-001").task_id == second
    assert find_task(office.book, "task-001", older.session_id).task_id == first
    assert find_task(office.book, "task-001", "no-such-session").task_id == second
