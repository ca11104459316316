"""A company whose model fails asks the configured other one, through the same gateway."""

import asyncio
from pathlib import Path

import msgspec
import pytest
from typing_extensions import override

from pm_orchestrator.adapters.gateway.answers import ModelAnswer, ModelQuestion
from pm_orchestrator.bootstrap.config import load_settings, parse_settings
from pm_orchestrator.bootstrap.crews.company_crew import CompanyCrew
from pm_orchestrator.cli.demo.sample_project import INSTRUCTION
from pm_orchestrator.cli.terminal.progress import describe
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.report import RunResult
from pm_orchestrator.domain.history.run_events import ParkedEvent
from pm_orchestrator.domain.record import to_json
from pm_orchestrator.domain.setup.settings import FallbackSettings, Settings, default_settings
from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.runner.tasks.run_task import run_task
from pm_orchestrator.testing.benches.sample_site import Site, open_site
from pm_orchestrator.testing.memory.fake_clock import FrozenClock
from pm_orchestrator.testing.scripted.demo_replies import first_parts, scripted
from pm_orchestrator.testing.scripted.scripted_answers import ScriptedAnswers

pytestmark = pytest.mark.timeout(90)
FIRST, SECOND = "first-model", "second-model"
BROKEN = b'{"type":"error","error":{"type":"api_error","message":"broken"}}'


class HurriedClock(FrozenClock):
    """Nobody waits for long."""

    @override
    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(min(seconds, 0.01))


class BusyFirst(ScriptedAnswers):
    """Its first answer is that it has too much to do."""

    @override
    async def answer(self, question: ModelQuestion) -> ModelAnswer:
        if not self.asked:
            self.asked.append(question)
            return ModelAnswer(status=429, body=BROKEN, headers={"retry-after": "30"})
        return await super().answer(question)


class BrokenFirst(ScriptedAnswers):
    """One model answers 500 whatever it is asked; the other one follows the script."""

    @override
    async def answer(self, question: ModelQuestion) -> ModelAnswer:
        if question.request.model == FIRST:
            self.asked.append(question)
            return ModelAnswer(status=500, body=BROKEN)
        return await super().answer(question)


@pytest.mark.parametrize("minutes", [0, pytest.param(1, marks=pytest.mark.long)])
async def test_a_busy_vendor_is_waited_for_as_long_as_the_settings_say(
    tmp_path: Path, minutes: int
) -> None:
    """E-26: who is told to come back is seen to wait, and no attempt is lost by it."""
    site = await open_site(tmp_path, HurriedClock())
    company = msgspec.structs.replace(site.app.settings.company, busy_minutes=minutes)
    settings = msgspec.structs.replace(site.app.settings, company=company)
    site.app.paths.settings.write_bytes(to_json(settings))
    site.app.settings = load_settings(site.app.paths)
    source = BusyFirst(scripted(first_parts(1)))
    site.app.crews = lambda project, _, options: CompanyCrew(project, options, source)
    if not minutes:
        with pytest.raises(PmError, match=r"E601.*too much to do"):
            await run_task(site.app, INSTRUCTION, way="company")
        return
    result = await run_task(site.app, INSTRUCTION, way="company", watch=site.events.append)
    assert result.status is TaskStatus.COMPLETE, result.reason.say()
    parked = [event for event in site.events if isinstance(event, ParkedEvent)]
    assert [(event.subject, event.detail.seconds) for event in parked] == [("manager", 30.0)]
    assert "manager waits 30 s" in describe(parked[0], "en")
    assert "HTTP 429" in describe(parked[0], "ja")


async def run(
    site: Site, fallback: FallbackSettings | None
) -> tuple[RunResult, list[ModelQuestion]]:
    company = msgspec.structs.replace(site.app.settings.company, model=FIRST, fallback=fallback)
    site.app.paths.settings.write_bytes(
        to_json(msgspec.structs.replace(site.app.settings, company=company))
    )
    site.app.settings = load_settings(site.app.paths)
    source = BrokenFirst(scripted(first_parts(1)))
    site.app.crews = lambda project, _, options: CompanyCrew(project, options, source)
    result = await run_task(site.app, INSTRUCTION, way="company", watch=site.events.append)
    return result, source.asked


async def test_the_fallback_is_asked_when_the_first_model_fails(tmp_path: Path) -> None:
    """E-15 AI Adapter Fallback: the configured fallback is tried before a failure is reported."""
    site = await open_site(tmp_path, HurriedClock())
    result, asked = await run(site, FallbackSettings(model=SECOND))
    assert result.status is TaskStatus.COMPLETE, result.reason.say()
    manager = [q.request.model for q in asked if q.agent == "manager"]
    # Patience with the first, and then the other one with the same question.
    assert manager == [FIRST] * 4 + [SECOND]
    # What the manager found out, no worker finds out again.
    assert {q.request.model for q in asked if q.agent != "manager"} == {SECOND}


@pytest.mark.long
async def test_without_a_fallback_the_failure_is_reported(tmp_path: Path) -> None:
    site = await open_site(tmp_path, HurriedClock())
    with pytest.raises(PmError, match="E601"):
        await run(site, None)


def settings_with(fallback: object) -> bytes:
    content = msgspec.to_builtins(default_settings())
    content["company"]["fallback"] = fallback
    return msgspec.json.encode(content)


@pytest.mark.parametrize(
    "fallback",
    [
        {"adapter": "anthropics", "model": "m"},
        {"adapter": "anthropic"},
        {"model": ""},
        {"model": "m", "modell": "m"},
        {"model": 1},
        "anthropic",
        [],
    ],
)
def test_a_fallback_that_is_none_is_refused(fallback: object) -> None:
    with pytest.raises(PmError, match="E104"):
        parse_settings(settings_with(fallback), Path("settings.json"))


def test_a_fallback_may_be_named_or_left_out() -> None:
    def read(fallback: object) -> Settings:
        return parse_settings(settings_with(fallback), Path("settings.json"))

    assert read(None).company.fallback is None
    assert read({"model": "m"}).company.fallback == FallbackSettings(model="m")
