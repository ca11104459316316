"""Sessions where somebody else still works, or where something was taken away."""

import asyncio
from pathlib import Path

import pytest
from msgspec.structs import replace

from pm_orchestrator.domain.errors import NeedsPersonError, PmError
from pm_orchestrator.domain.history.log_contents import RunnerClarification, UserResponse, event_of
from pm_orchestrator.domain.history.report import RunResult
from pm_orchestrator.domain.history.session import UnfinishedTask
from pm_orchestrator.domain.history.task_log import LogEventType, TaskLogStatus
from pm_orchestrator.domain.history.task_story import pending_question
from pm_orchestrator.evidence.records.open_log import OpenLog
from pm_orchestrator.runner.layout import ProjectPaths
from pm_orchestrator.runner.records.execution_record import log_dispatch
from pm_orchestrator.runner.records.task_result import task_result
from pm_orchestrator.runner.sessions.continuation import is_invalid
from pm_orchestrator.runner.sessions.recovery import recover
from pm_orchestrator.runner.sessions.session_view import view
from pm_orchestrator.runner.sessions.spoken_last import spoken_in_project, spoken_in_session
from pm_orchestrator.testing.memory.memory_office import MemoryOffice


@pytest.fixture
def office() -> MemoryOffice:
    return MemoryOffice()


async def test_a_living_owner_keeps_its_task(office: MemoryOffice) -> None:
    """R-26 TaskLog Lifecycle Recording: only what a dead owner left is closed."""
    task = await office.die_at_work(await office.sessions.start())
    assert await recover(office.sessions, office.ledger) == ()
    assert [t.task_id for t in office.ledger.unfinished()] == [task]
    office.owners.die()
    assert await recover(office.sessions, office.ledger) == (task,)
    assert office.ledger.unfinished() == ()


async def test_a_task_that_never_began_is_forgotten_without_a_word(office: MemoryOffice) -> None:
    """Whoever is told of what was cut off could find nothing of it."""
    session = await office.sessions.start()
    noted = UnfinishedTask(
        session_id=session.session_id,
        task_id="task-1",
        thread_id="thr_001",
        run_id="run_001",
        prompt="Do it",
    )
    await office.ledger.announce(noted)
    office.owners.die()
    assert await recover(office.sessions, office.ledger) == ()
    assert office.ledger.unfinished() == ()


async def test_what_counts_for_nothing_is_known_by_its_last_word(office: MemoryOffice) -> None:
    """R-16: an older program wrote its verdicts otherwise, and its tasks may go on."""
    session = await office.sessions.start()
    task = await office.die_at_work(session)
    await recover(office.sessions, office.ledger, session)
    log = office.book.read(session.session_id, task)
    (*events, last) = log.events
    verdicts = {"ERROR": False, "INVALID": True, "error": False}
    for word, expected in verdicts.items():
        said = replace(last, content={**last.content, "status": word})
        assert is_invalid(replace(log, events=(*events, said))) is expected
    invalid = replace(last, content={**last.content, "status": "INVALID"})
    done = replace(log, status=TaskLogStatus.COMPLETE, events=(*events, invalid))
    assert not is_invalid(done), "it is what the log says"


async def test_whoever_looks_sees_that_a_person_is_asked(office: MemoryOffice) -> None:
    session = await office.sessions.start()
    await session.await_answer()
    state = office.book.records(session.session_id).state()
    assert state is not None
    assert state.status == "AWAITING_RESPONSE"


async def test_a_conversation_goes_on_where_the_session_spoke_last(office: MemoryOffice) -> None:
    """The latest task that an executor spoke in, but for what is to be forgotten."""
    session = await office.sessions.start()
    names: list[str] = []
    for run_id, spoken in (("run_001", "first"), ("run_002", "second"), ("run_003", None)):
        task = session.new_task(run_id, "create it", "fake")

        async def work(log: OpenLog, spoken: str | None = spoken) -> RunResult:
            await log_dispatch(log, "fake", "create it", spoken)
            raise NeedsPersonError("ask_target")

        with pytest.raises(NeedsPersonError):
            await session.carry_out(task, office.ledger, work)
        names.append(task.task_id)
    found = spoken_in_session(office.book, session.session_id)
    assert found is not None
    assert (found.executor, found.conversation) == ("fake", "second")
    assert spoken_in_project(office.book) == found
    assert spoken_in_session(office.book, session.session_id, since=names[1]) is None
    assert spoken_in_session(office.book, session.session_id, since=names[0]) == found


async def test_what_this_process_owns_is_closed_in_place(office: MemoryOffice) -> None:
    session = await office.sessions.start()
    task = await office.die_at_work(session)
    assert await recover(office.sessions, office.ledger, session) == (task,)
    assert office.book.read(session.session_id, task).status is TaskLogStatus.ERROR


async def test_a_task_that_never_began_was_not_cut_off(office: MemoryOffice) -> None:
    """R-26 TaskLog Lifecycle Recording: who died before the first entry has nothing to tell."""
    session = await office.sessions.start()
    task = session.new_task("run_001", "create it", "fake")
    noted = UnfinishedTask(
        session_id=task.session_id,
        task_id=task.task_id,
        thread_id=task.thread_id,
        run_id=task.run_id,
        prompt=task.prompt,
    )
    await office.ledger.announce(noted)
    office.owners.die()
    assert await recover(office.sessions, office.ledger) == ()
    assert office.ledger.unfinished() == ()


async def test_every_log_that_is_closed_is_sealed(office: MemoryOffice) -> None:
    session = await office.sessions.start()
    answered = await office.ask(session)
    cut_off = await office.die_at_work(session)
    await recover(office.sessions, office.ledger, session)
    sealed = [(seal.type, seal.task_id) for seal in office.recorder.operations]
    assert sealed == [("task_log_closed", answered), ("task_log_closed", cut_off)]


async def test_a_recovery_that_cannot_own_says_so(
    office: MemoryOffice, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R-9 Fail-Safe Error Handling: any other trouble than a living owner stops the start."""
    await office.die_at_work(await office.sessions.start())

    def broken(*_: object) -> None:
        raise PmError("disk", path="/project", reason="no space")

    monkeypatch.setattr(office.owners, "take", broken)
    with pytest.raises(PmError) as stopped:
        await recover(office.sessions, office.ledger)
    assert stopped.value.slug == "disk"


async def test_a_session_whose_log_is_gone_is_not_opened(office: MemoryOffice) -> None:
    """R-27 /tasks-/logs Consistency: it is refused, and left to the next who wants it."""
    session = await office.sessions.start()
    await office.ask(session)
    await session.leave()
    (log,) = [p for p in office.disk if p.parent.name == "tasks"]
    del office.disk[log]
    for _ in range(2):
        with pytest.raises(PmError) as refused:
            await office.sessions.open(session.session_id)
        assert refused.value.code == "E204"
    with pytest.raises(PmError) as unseen:
        view(office.book, session.session_id)
    assert unseen.value.code == "E204"


async def test_a_run_leads_to_its_session(office: MemoryOffice) -> None:
    first = await office.sessions.start()
    await office.ask(first, "run_001")
    second = await office.sessions.start()
    await office.ask(second, "run_002")
    assert view(office.book, "run_001").session.session_id == first.session_id
    assert [r.run_id for r in view(office.book, "run_002").runs] == ["run_002"]
    with pytest.raises(PmError) as unknown:
        view(office.book, "run_003")
    assert unknown.value.code == "E210"


async def test_an_answered_question_waits_no_more(office: MemoryOffice) -> None:
    session = await office.sessions.start()
    log = office.book.read(session.session_id, await office.ask(session))
    assert pending_question(log) is not None
    answered = event_of(UserResponse(response="README.md"), "2026-01-15T09:00:00.000Z")
    assert pending_question(replace(log, events=(*log.events, answered))) is None
    assert pending_question(replace(log, events=())) is None


async def test_a_stop_while_a_task_begins_leaves_it_begun_and_closed(
    office: MemoryOffice, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R-26 TaskLog Lifecycle Recording: what was begun is closed, and nothing was worked on."""
    session = await office.sessions.start()
    task = session.new_task("run_001", "create it", "fake")
    worked: list[str] = []

    async def work(log: OpenLog) -> RunResult:
        worked.append(log.log.task_id)
        raise NeedsPersonError("ask_target")

    started = office.ledger.started

    async def stopped_meanwhile(task_id: str) -> None:
        running.cancel()
        await started(task_id)

    monkeypatch.setattr(office.ledger, "started", stopped_meanwhile)
    running = asyncio.create_task(session.carry_out(task, office.ledger, work))
    with pytest.raises(asyncio.CancelledError):
        await running
    assert worked == []
    log = office.book.read(session.session_id, task.task_id)
    assert log.status is TaskLogStatus.INCOMPLETE
    assert office.ledger.unfinished() == ()


async def test_a_question_is_in_the_log_once(office: MemoryOffice) -> None:
    session = await office.sessions.start()
    task = session.new_task("run_001", "create it", "fake")

    async def work(log: OpenLog) -> RunResult:
        await log.add(RunnerClarification(question="Which file?", options=()))
        raise NeedsPersonError("ask_target")

    with pytest.raises(NeedsPersonError):
        await session.carry_out(task, office.ledger, work)
    log = office.book.read(session.session_id, task.task_id)
    asked = [e for e in log.events if e.event_type is LogEventType.RUNNER_CLARIFICATION]
    assert len(asked) == 1
    assert pending_question(log) == "Which file?"


async def test_a_log_that_ends_without_a_verdict_is_no_record(office: MemoryOffice) -> None:
    session = await office.sessions.start()
    log = office.book.read(session.session_id, await office.ask(session))
    assert task_result(log).clarification_needed
    with pytest.raises(PmError) as malformed:
        task_result(replace(log, events=log.events[:-1]))
    assert malformed.value.slug == "evidence_invalid"


async def test_a_session_without_its_record_stays_without_one(office: MemoryOffice) -> None:
    session = await office.sessions.start()
    (state,) = [path for path in office.disk if path.name == "session_state.json"]
    del office.disk[state]
    await session.refresh()
    assert session.state is None


def test_runs_are_numbered_past_what_is_there(tmp_path: Path) -> None:
    paths = ProjectPaths(tmp_path)
    assert paths.new_run().run_id == "run_001"
    (paths.runs / "run_002").mkdir()
    assert paths.new_run().run_id == "run_003"
    assert ProjectPaths(tmp_path).new_run().run_id == "run_004"
