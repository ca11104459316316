"""R-1, R-23: around the work of others, what is put back, what is gone and what is refused."""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.evidence.guard.sealed_part import Difference
from pm_orchestrator.runner.places.record_guard import RecordGuard
from pm_orchestrator.runner.places.rescue_names import MovedRefs
from pm_orchestrator.testing.memory.memory_files import MemoryFiles
from pm_orchestrator.testing.memory.memory_recorder import MemoryRecorder

ROOT = Path("/project")


class Records:
    """Sealed records of which a test says what became."""

    def __init__(self) -> None:
        self.taken: list[dict[Path, bytes]] = []
        self.found: list[tuple[str, ...]] = [()]
        self.as_it_was: dict[Path, bytes] = {}

    def seal(self, session_id: str) -> str:
        return session_id

    def gone(self, seal: str) -> dict[Path, bytes]:
        assert seal == "session-1"
        return self.taken.pop() if self.taken else {}

    def altered(self, seal: str, current_log: bytes) -> tuple[str, ...]:
        return self.found[0] if len(self.found) == 1 else self.found.pop()

    def to_put_back(self, seal: str) -> dict[Path, bytes]:
        return self.as_it_was

    def shown(self, path: Path) -> str:
        return path.relative_to(ROOT).as_posix()


class Refs:
    """Rescues of which a test says what became."""

    def __init__(self) -> None:
        self.moved = MovedRefs()
        self.asked: list[Mapping[str, str]] = []

    async def seen(self) -> Mapping[str, str]:
        return {"refs/pm/rescue/run_001/task-1": "a" * 40}

    async def put_back(self, before: Mapping[str, str]) -> MovedRefs:
        self.asked.append(before)
        return self.moved


class Desk:
    """A guard over records that a test decides on."""

    def __init__(self) -> None:
        self.records, self.refs, self.files = Records(), Refs(), MemoryFiles({})
        self.recorder = MemoryRecorder()
        self.beside = Difference()
        self.reread = 0
        self.guard = RecordGuard(
            cast("Any", self.records),
            self.files,
            self.recorder,
            self._reread,
            cast("Any", self),
            cast("Any", self.refs),
        )

    def seal(self, records: str) -> Callable[[], Difference]:
        return lambda: self.beside

    def _reread(self) -> None:
        self.reread += 1

    async def watch(self, log: Any) -> str:
        async def work() -> str:
            return "done"

        return await self.guard.watch(log, work)


@pytest.fixture
def desk() -> Desk:
    return Desk()


class Written(msgspec.Struct):
    """As much of a log as the guard looks at."""

    session_id: str = "session-1"
    task_id: str = "task-1"


class Log:
    """A log that takes a note of evidence."""

    def __init__(self) -> None:
        self.log = Written()
        self.noted: list[str] = []

    def note_evidence(self, evidence_id: str) -> None:
        self.noted.append(evidence_id)


async def test_whoever_keeps_their_hands_off_is_not_noticed(desk: Desk) -> None:
    log = Log()
    assert await desk.watch(log) == "done"
    guard = desk.guard
    assert (guard.put_back, guard.gone, guard.rewritten, guard.lost) == ([], [], [], {})
    assert (desk.files.disk, desk.recorder.lines, log.noted, desk.reread) == ({}, [], [], 0)
    assert desk.refs.asked == [{"refs/pm/rescue/run_001/task-1": "a" * 40}]


async def test_what_was_cleared_away_is_back_before_anybody_looks(desk: Desk) -> None:
    """A clearing up is no lie, so what is compared is compared once it is back."""
    desk.records.taken = [{ROOT / "settings.json": b"{}", ROOT / "owner": b"me"}]
    await desk.watch(Log())
    assert desk.files.disk == {ROOT / "settings.json": b"{}", ROOT / "owner": b"me"}
    assert desk.guard.put_back == ["settings.json", "owner"]


async def test_rescues_that_are_gone_or_back_are_named(desk: Desk) -> None:
    desk.refs.moved = MovedRefs(back=("refs/one",), gone=("refs/two",))
    await desk.watch(Log())
    assert (desk.guard.put_back, desk.guard.gone) == (["refs/one"], ["refs/two"])


async def test_what_lies_beside_is_put_back_or_named(desk: Desk) -> None:
    back, gone, other = ROOT / "back", ROOT / "gone", ROOT / "other"
    desk.beside = Difference(
        put_back={back: b"b"}, gone=(back, gone), rewritten=(other,), lost={"ev-1": gone}
    )
    await desk.watch(Log())
    guard = desk.guard
    assert desk.files.disk == {back: b"b"}
    assert (guard.put_back, guard.gone, guard.rewritten) == (["back"], ["gone"], ["other"])
    assert guard.lost == {"ev-1": "gone"}


@pytest.mark.parametrize(
    ("where", "what"), [("records", "chain"), ("beside", "facts"), ("refs", "refs/one")]
)
async def test_what_was_altered_is_refused_and_on_record(desk: Desk, where: str, what: str) -> None:
    log = Log()
    desk.records.as_it_was = {ROOT / "settings.json": b"{}"}
    if where == "records":
        desk.records.found = [(what,)]
    elif where == "beside":
        desk.beside = Difference(altered=(ROOT / what, ROOT / what))
    else:
        desk.refs.moved = MovedRefs(altered=(what,))
    with pytest.raises(PmError, match="E505") as raised:
        await desk.watch(log)
    assert raised.value.params == {"what": what, "task": "task-1"}
    assert desk.recorder.lines == [f"records_altered: {what}"]
    assert (log.noted, desk.reread) == (["evidence-1"], 1)
    assert desk.files.disk == {ROOT / "settings.json": b"{}"}


async def test_of_many_the_first_are_named_and_all_are_on_record(desk: Desk) -> None:
    desk.records.found = [tuple("abcdefg")]
    with pytest.raises(PmError) as raised:
        await desk.watch(Log())
    assert raised.value.params["what"] == "a, b, c, d, e (+2)"
    assert desk.recorder.lines == ["records_altered: " + "\n".join("abcdefg")]


@pytest.mark.parametrize(
    "error", [PmError("disk", path="/x", reason="full"), asyncio.CancelledError()]
)
async def test_an_alteration_weighs_more_than_how_the_work_ended(
    desk: Desk, error: BaseException
) -> None:
    async def work() -> None:
        raise error

    with pytest.raises(type(error)):
        await desk.guard.watch(cast("Any", Log()), work)
    desk.records.found = [("chain",)]
    with pytest.raises(PmError, match="E505"):
        await desk.guard.watch(cast("Any", Log()), work)
