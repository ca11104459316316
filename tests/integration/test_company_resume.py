"""A run that was cut off goes on from its journal: finished steps are not done again."""

import asyncio
from pathlib import Path

import pytest

from pm_orchestrator.adapters.engines.local import LocalEngine
from pm_orchestrator.bootstrap.company import CompanyRequest, make_order, make_parts
from pm_orchestrator.bootstrap.company_floor import CompanyFloor
from pm_orchestrator.bootstrap.sandboxes import ready_runtime
from pm_orchestrator.bootstrap.sessions import start_session
from pm_orchestrator.cli.demo.sample_project import INSTRUCTION
from pm_orchestrator.domain.report import RunResult
from pm_orchestrator.domain.status import TaskStatus
from pm_orchestrator.evidence.integrity import check
from pm_orchestrator.ports.events import RunEvent
from pm_orchestrator.runner.company_run import company_run
from pm_orchestrator.runner.run_directory import RunDirectory
from pm_orchestrator.runner.steps import RunOrder
from pm_orchestrator.testing.demo_replies import REPLIES, scripted
from pm_orchestrator.testing.sample_site import Site, open_site
from pm_orchestrator.testing.scripted_answers import ScriptedAnswers

pytestmark = pytest.mark.timeout(120)


class Owner:
    """One life of the process that owns a run; `cut` ends it at an event."""

    def __init__(self, site: Site, directory: RunDirectory, cut: str | None) -> None:
        self._site = site
        self._directory = directory
        self._cut = cut
        self._work: asyncio.Task[RunResult] | None = None
        self.events: list[RunEvent] = []

    def _seen(self, event: RunEvent) -> None:
        self.events.append(event)
        if event.kind == self._cut and self._work is not None:
            self._work.cancel()

    async def live(self, order: RunOrder) -> RunResult | None:
        app = self._site.app
        parts = make_parts(app, self._directory, await ready_runtime(app), self._seen)
        source = ScriptedAnswers(scripted(REPLIES))
        floor = CompanyFloor(app, parts, order, source, workers=3)

        async def run() -> RunResult:
            async with floor.open() as bodies:
                engine = LocalEngine(self._directory.journal, bodies, app.clock)
                return await engine.execute(company_run, order, RunResult)

        self._work = asyncio.create_task(run())
        try:
            return await self._work
        except asyncio.CancelledError:
            return None

    def attempts(self) -> set[tuple[str, int]]:
        return {
            (e.subject, e.detail["attempt"])
            for e in self.events
            if e.kind == "worker" and e.detail["state"] == "working"
        }


@pytest.mark.parametrize(
    "cut",
    ["examined", *(pytest.param(n, marks=pytest.mark.long) for n in ("plan", "merged", "verdict"))],
)
async def test_a_cut_off_run_is_finished_by_the_next_owner(tmp_path: Path, cut: str) -> None:
    site = await open_site(tmp_path)
    app = site.app
    directory = app.paths.new_run()
    session = await start_session(app)
    task = session.new_task(directory.run_id, INSTRUCTION, "company")
    parts = make_parts(app, directory, await ready_runtime(app), lambda _: None)
    order = await make_order(app, CompanyRequest(instruction=INSTRUCTION), task, parts.logs)

    first = Owner(site, directory, cut)
    assert await first.live(order) is None
    second = Owner(site, directory, None)
    result = await second.live(order)

    assert result is not None
    assert result.status is TaskStatus.COMPLETE, result.reason.say()
    entered = [e.subject for e in first.events + second.events if e.kind == "phase"]
    assert len(entered) == len(set(entered)) == 7
    examined = {(e.subject, e.detail["attempt"]) for e in first.events if e.kind == "examined"}
    # Whatever was already judged is not worked on again.
    assert not examined & second.attempts()
    assert check(app.paths.claude, app.head_file).intact

    third = Owner(site, directory, None)
    assert await third.live(order) == result
    assert third.events == []
    await session.leave()
