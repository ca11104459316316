"""`parallel_limits` of the settings bounds a company: who writes, and who thinks, at once."""

import asyncio
import contextlib
from pathlib import Path

import pytest
from msgspec.structs import replace
from typing_extensions import override

from pm_orchestrator.adapters.gateway.answers import ModelAnswer, ModelQuestion
from pm_orchestrator.bootstrap.crews.company_crew import CompanyCrew
from pm_orchestrator.cli.demo.sample_project import INSTRUCTION
from pm_orchestrator.domain.history.report import RunResult
from pm_orchestrator.domain.setup.settings import ParallelLimits
from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.runner.tasks.run_task import run_task
from pm_orchestrator.testing.benches.sample_site import Site, open_site
from pm_orchestrator.testing.benches.side_by_side import PATIENCE_S, begin_together
from pm_orchestrator.testing.scripted.demo_replies import REPLIES, scripted
from pm_orchestrator.testing.scripted.scripted_answers import ScriptedAnswers

pytestmark = pytest.mark.timeout(90)


class CountedAnswers(ScriptedAnswers):
    """Remembers how many were answered at once; a worker's answer waits for a second question."""

    def __init__(self, wait_s: float) -> None:
        super().__init__(scripted(REPLIES))
        self.now = self.most = 0
        self._wait_s = wait_s
        self._second = asyncio.Event()

    @override
    async def answer(self, question: ModelQuestion) -> ModelAnswer:
        self.now += 1
        self.most = max(self.most, self.now)
        if self.most > 1:
            self._second.set()
        if question.agent.startswith("worker"):
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._second.wait(), self._wait_s)
        self.now -= 1
        return await super().answer(question)


async def run(
    site: Site, limits: ParallelLimits, workers: int | None, wait_s: float = 0.1
) -> tuple[RunResult, CountedAnswers]:
    site.app.settings = replace(site.app.settings, parallel_limits=limits)
    source = CountedAnswers(wait_s)
    site.app.crews = lambda project, _, options: CompanyCrew(project, options, source)
    end = await run_task(
        site.app, INSTRUCTION, way="company", watch=site.events.append, workers=workers
    )
    assert end.status is TaskStatus.COMPLETE, end.reason.say()
    return end, source


@pytest.mark.long
@pytest.mark.parametrize(
    ("asked", "told"), [pytest.param(None, False, marks=pytest.mark.long), (4, True)]
)
async def test_no_more_write_than_the_settings_allow(
    tmp_path: Path, asked: int | None, told: bool
) -> None:
    """R-5, R-12: who comes too late waits for a slot."""
    site = await open_site(tmp_path)
    end, source = await run(site, ParallelLimits(executors=1), workers=asked)
    assert {item.agent_id for item in end.work} == {"worker-1"}
    assert source.most == 1
    # Whoever asked for more is told; who did not is not bothered.
    assert ("fewer_workers" in {note.key for note in end.notes}) is told


# That more do where more may is in `test_company.py` as well.
@pytest.mark.parametrize(("subagents", "wait_s"), [(1, 0.03), (9, PATIENCE_S)])
@pytest.mark.long
async def test_no_more_think_than_the_settings_allow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, subagents: int, wait_s: float
) -> None:
    """R-5, R-12: thinkers wait for a slot as well."""
    # Three work either way; only their questions wait for each other.
    begin_together(monkeypatch, 3)
    site = await open_site(tmp_path)
    _, source = await run(site, ParallelLimits(subagents=subagents), 3, wait_s)
    assert (source.most == 1) is (subagents == 1)
