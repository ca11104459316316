"""A run that was stopped goes on from its journal: finished steps are not done again."""

import asyncio
import subprocess
from pathlib import Path

import pytest
from typing_extensions import override

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.report import RunResult
from pm_orchestrator.domain.history.run_events import (
    ExaminedEvent,
    PhaseEvent,
    RunEvent,
    WorkerEvent,
    Working,
)
from pm_orchestrator.domain.tasks.phase import Phase
from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.evidence.chain.integrity import check
from pm_orchestrator.runner.layout import RunDirectory
from pm_orchestrator.testing.benches.receipts_left import ReceiptsLeft
from pm_orchestrator.testing.benches.sample_site import Site, open_site
from pm_orchestrator.testing.scripted.demo_replies import REPLIES, first_parts

pytestmark = pytest.mark.timeout(120)
RUN = "run_001"


class Moment:
    """Stops the run at the `count`-th event of a kind."""

    def __init__(self, site: Site, kind: str, count: int = 1) -> None:
        self._site = site
        self._kind = kind
        self._count = count
        self.receipts = ReceiptsLeft(RunDirectory(site.app.paths.runs / RUN))

    async def stop(self) -> list[RunEvent]:
        """Live until then; what was told before."""
        work = asyncio.create_task(self._site.run(REPLIES))
        seen = self._site.events = _Watched(work, self._kind, self._count)
        with pytest.raises(asyncio.CancelledError):
            await work
        self.receipts.take()
        self._site.events = []
        return list(seen)


class _Watched(list[RunEvent]):
    def __init__(self, work: "asyncio.Task[RunResult]", kind: str, count: int) -> None:
        super().__init__()
        self._work = work
        self._kind = kind
        self._left = count

    @override
    def append(self, event: RunEvent, /) -> None:
        super().append(event)
        self._left -= type(event).__struct_config__.tag == self._kind
        if self._left == 0:
            self._work.cancel()


def attempts(events: list[RunEvent]) -> set[tuple[str, int]]:
    return {
        (e.subject, e.detail.attempt)
        for e in events
        if isinstance(e, WorkerEvent) and isinstance(e.detail, Working)
    }


def tree_of(site: Site, result: RunResult) -> str:
    argv = ["git", "rev-parse", f"{result.branch}^{{tree}}"]
    return subprocess.run(argv, cwd=site.root, capture_output=True, check=True).stdout.decode()


@pytest.fixture
async def site(tmp_path: Path) -> Site:
    return await open_site(tmp_path / "site")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The tree with which it ends when nobody stops it."""
    site = asyncio.run(open_site(tmp_path_factory.mktemp("calm")))
    return tree_of(site, asyncio.run(site.run(REPLIES)))


@pytest.mark.parametrize(
    ("kind", "count"),
    [
        *(("phase", n) for n in range(1, 8)),
        *(("worker", n) for n in (1, 4, 8)),
        *(("gate", n) for n in (1, 3)),
        *(("examined", n) for n in (1, 2, 4)),
        *(("merged", n) for n in (1, 2, 3)),
        ("plan", 1),
        ("verdict", 1),
    ],
)
@pytest.mark.long
async def test_a_stopped_run_is_finished_by_the_next_owner(
    undisturbed: str, site: Site, kind: str, count: int
) -> None:
    stopped = Moment(site, kind, count)
    before = await stopped.stop()
    result = await site.resume(REPLIES, RUN)

    assert result.status is TaskStatus.COMPLETE, result.reason.say()
    assert result.run_id == RUN
    entered = [e.subject for e in (*before, *site.events) if isinstance(e, PhaseEvent)]
    # One in which it was stopped was not entered yet.
    assert list(dict.fromkeys(entered)) == list(Phase)
    assert len(entered) <= len(Phase) + (kind == "phase")
    stopped.receipts.check_untouched()
    # Whatever was already judged is not worked on again.
    judged = {(e.subject, e.detail.attempt) for e in before if isinstance(e, ExaminedEvent)}
    assert not (judged - {last_of(before)}) & attempts(site.events)
    assert check(site.app.paths.claude, site.app.head_file).intact
    assert tree_of(site, result) == undisturbed


def last_of(events: list[RunEvent]) -> tuple[str, int] | None:
    """The examination in which the run was stopped, before it was on record."""
    last = events[-1]
    return (last.subject, last.detail.attempt) if isinstance(last, ExaminedEvent) else None


@pytest.mark.long
async def test_a_finished_run_is_not_resumed(site: Site) -> None:
    await site.run(first_parts(1))
    site.events.clear()
    with pytest.raises(PmError, match="E210"):
        await site.resume(first_parts(1), RUN)
    assert site.events == []


@pytest.mark.long
async def test_evidence_of_the_life_before_is_missed_too(site: Site) -> None:
    stopped = Moment(site, "examined", 2)
    await stopped.stop()
    for name in stopped.receipts.evidence_of("decompose"):
        (site.app.paths.claude / "evidence" / f"{name}.json").unlink()
    result = await site.resume(REPLIES, RUN)
    assert result.status is TaskStatus.NO_EVIDENCE, result.reason.say()
