"""Logs of ended tasks: who alters one later is found, and nobody else."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest
from typing_extensions import override

from pm_orchestrator.adapters.stores.local_files import LocalFiles
from pm_orchestrator.adapters.system_clock import RandomIds, SystemClock
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.session import RunTrigger
from pm_orchestrator.domain.tasks.evidence_record import Evidence
from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.evidence.chain import integrity, log_seals
from pm_orchestrator.evidence.chain.integrity import check
from pm_orchestrator.evidence.chain.log_seals import LogSeals, has_ended
from pm_orchestrator.evidence.chain.recorder import EvidenceRecorder
from pm_orchestrator.evidence.guard.tamper import EARLIER, SealedRecords
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.evidence.records.log_book import TaskLogBook
from pm_orchestrator.ports.recorder import Operation, Recorder

OTHERS, MINE = "session-others", "session-mine"


class NoRoom(Recorder):
    """Of a full disk."""

    @override
    async def record(self, operation: Operation) -> Evidence:
        raise PmError("evidence_not_collected", path="chain", reason=operation.type)


class Desk:
    """A project in which a task of another session has ended."""

    def __init__(self, root: Path) -> None:
        self.claude = root / ".claude"
        self.heads = root / "heads"
        self.files = files = LocalFiles(SystemClock())
        self.masker = Masker(())
        self.recorder = EvidenceRecorder(
            files, SystemClock(), RandomIds(), self.masker, self.claude, self.heads
        )
        self.book = TaskLogBook(files, SystemClock(), self.claude, self.masker)
        self.book.seals = LogSeals(self.recorder, self.claude)
        self.guard = SealedRecords(self.claude, self.heads, root / "owners", str, lambda: 0)

    def log(self, number: int = 1) -> Path:
        return self.claude / "logs" / "sessions" / OTHERS / "tasks" / f"task-{number:03d}.json"

    async def end(self, number: int = 1) -> None:
        run_id, root = f"run_{number:03d}", self.claude.parent
        log = await self.book.open(OTHERS, f"task-100{number}", "thr_001", run_id, "do it", root)
        await log.close(TaskStatus.COMPLETE, None)

    async def take_up(self, number: int = 1) -> None:
        await self.book.reopen(OTHERS, f"task-100{number}", "run_009", RunTrigger.USER_RESPONSE)

    async def end_again(self, number: int = 1) -> None:
        log = await self.book.reopen(
            OTHERS, f"task-100{number}", "run_009", RunTrigger.USER_RESPONSE
        )
        await log.close(TaskStatus.INCOMPLETE, "not yet")

    async def flip(self) -> None:
        flipped = self.log().read_bytes().replace(b'"complete"', b'"error"')
        assert flipped != self.log().read_bytes()
        self.log().write_bytes(flipped)

    async def touch(self) -> None:
        """Written again as it was, by somebody who gives every file a new mode."""
        self.log().write_bytes(self.log().read_bytes())
        self.log().chmod(0o600)

    async def remove(self) -> None:
        self.log().unlink()

    async def bar(self) -> None:
        """A directory in its place, in a folder that is locked."""
        self.log().unlink()
        self.log().mkdir()
        self.log().parent.chmod(0o500)

    async def begin_another(self) -> None:
        await self.book.open(OTHERS, "task-2000", "thr_001", "run_005", "x", self.claude.parent)

    async def flip_and_hide(self) -> None:
        await self.flip()
        await self.end_again()

    def altered_after_an_end(self) -> tuple[str, ...]:
        """As the guard sees it that has reason to ask the chain."""
        seal = self.guard.seal(MINE)
        asyncio.run(self.end_again())
        return self.guard.altered(seal)

    def found(self) -> list[tuple[str, str]]:
        report = check(self.claude, self.heads)
        return [(problem.code, problem.sentence) for problem in report.problems]


@pytest.fixture
async def desk(tmp_path: Path) -> Desk:
    desk = Desk(tmp_path)
    await desk.end()
    return desk


Act = Callable[[Desk], Awaitable[None]]
HONEST = [Desk.touch, Desk.take_up, Desk.end_again, Desk.begin_another]
ALTERING = [Desk.flip, Desk.remove, Desk.flip_and_hide]


@pytest.mark.parametrize(
    ("act", "code"),
    [*((act, None) for act in HONEST), *zip(ALTERING, ("E304", "E303", "E304"), strict=True)],
)
async def test_a_check_names_the_task_and_the_file(desk: Desk, act: Act, code: str | None) -> None:
    await act(desk)
    found = desk.found()
    assert [one for one, _ in found] == ([] if code is None else [code])
    assert all("task-1001" in said and str(desk.log()) in said for _, said in found)


@pytest.mark.parametrize("sealed", [True, False], ids=["sealed", "from an older version"])
@pytest.mark.parametrize(
    ("act", "altered"),
    [
        *((act, False) for act in HONEST),
        *((act, True) for act in (Desk.flip, Desk.remove, Desk.bar)),
    ],
)
async def test_the_guard_looks_at_other_sessions(
    tmp_path: Path, act: Act, sealed: bool, altered: bool
) -> None:
    desk = Desk(tmp_path)
    seals = desk.book.seals
    desk.book.seals = seals if sealed else None
    await desk.end()
    desk.book.seals = seals
    before, seal = desk.log().read_bytes(), desk.guard.seal(MINE)
    await act(desk)
    names = desk.guard.altered(seal)
    assert names == (("." + str(desk.log()).partition("/.")[2],) if altered else ())
    back = desk.guard.to_put_back(seal)
    assert back == ({desk.log(): before} if altered else {})
    for path, data in back.items():
        await desk.files.replace(path, data)
    assert not altered or desk.log().read_bytes() == before


async def test_a_task_that_runs_in_another_session_may_write_its_log(desk: Desk) -> None:
    root = desk.claude.parent
    log = await desk.book.open(OTHERS, "task-1002", "thr_001", "run_002", "do it", root)
    seal = desk.guard.seal(MINE)
    await log.close(TaskStatus.COMPLETE, None)
    assert desk.guard.altered(seal) == ()


async def test_how_many_are_looked_at_does_not_grow_with_the_history(desk: Desk) -> None:
    for number in range(EARLIER + 20):
        session = f"session-{number}"
        root = desk.claude.parent
        desk.book.seals = None
        log = await desk.book.open(session, f"task-{number}", "thr_001", "run_001", "x", root)
        await log.close(TaskStatus.COMPLETE, None)
    assert len(desk.guard.seal(MINE).earlier) == EARLIER


async def test_a_log_ended_before_there_were_seals_says_nothing_and_can_go_on(
    tmp_path: Path,
) -> None:
    desk = Desk(tmp_path)
    seals, desk.book.seals = desk.book.seals, None
    await desk.end()
    await desk.flip()
    assert desk.found() == []
    desk.book.seals = seals
    await desk.end_again()
    assert desk.found() == []


async def test_what_was_altered_before_is_not_laid_at_this_task(desk: Desk) -> None:
    await desk.flip()
    seal = desk.guard.seal(MINE)
    await desk.begin_another()
    await desk.end(3)
    assert desk.guard.altered(seal) == ()
    assert [code for code, _ in desk.found()] == ["E304"]


@pytest.mark.parametrize("look", [Desk.found, Desk.altered_after_an_end])
async def test_a_task_taken_up_between_two_looks_is_no_alteration(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, look: Callable[[Desk], object]
) -> None:
    """The chain was read, then another process went on, then the log was read."""
    walk = log_seals.complete_lines

    def then_taken_up(path: Path) -> Iterator[bytes]:
        yield from walk(path)
        if path.name == "chain.jsonl":
            monkeypatch.undo()
            asyncio.run(desk.take_up())

    monkeypatch.setattr(log_seals, "complete_lines", then_taken_up)
    monkeypatch.setattr(integrity, "complete_lines", then_taken_up)
    assert not await asyncio.to_thread(look, desk)


@pytest.mark.parametrize("end", [Desk.end, Desk.end_again])
async def test_a_log_that_cannot_be_sealed_is_closed_but_not_taken_up(desk: Desk, end: Act) -> None:
    desk.book.seals = LogSeals(NoRoom(), desk.claude)
    if end is Desk.end:
        await desk.end(2)
        assert has_ended(desk.log(2).read_bytes())
    else:
        before = desk.log().read_bytes()
        with pytest.raises(PmError, match="E301"):
            await desk.end_again()
        assert desk.log().read_bytes() == before


def test_a_damaged_log_has_not_ended() -> None:
    assert not has_ended(b"garbage")
    assert not has_ended(b'"\xff"')
