"""Settings that are numbers and words in a file become what happens."""

import time
from pathlib import Path

import pytest
from msgspec.structs import replace

from pm_orchestrator.adapters.sandboxes.bwrap import BwrapRuntime
from pm_orchestrator.adapters.stores.local_files import LocalFiles
from pm_orchestrator.adapters.system_clock import SystemClock
from pm_orchestrator.bootstrap.crews.company_crew import CompanyCrew
from pm_orchestrator.bootstrap.environment import read_environment
from pm_orchestrator.bootstrap.initialising import init_at
from pm_orchestrator.bootstrap.opening import open_project
from pm_orchestrator.cli.demo.sample_project import INSTRUCTION
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.report import RunResult
from pm_orchestrator.domain.record import to_file
from pm_orchestrator.domain.setup.settings import (
    CompanySettings,
    GateSettings,
    SandboxSettings,
    TaskLimitSettings,
    Timeouts,
    default_settings,
)
from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.ports.clock import Clock
from pm_orchestrator.ports.sandbox import Sandbox, SandboxSpec
from pm_orchestrator.runner.project.project import Project
from pm_orchestrator.runner.tasks.run_task import run_task
from pm_orchestrator.testing.benches.sample_site import Site, open_site
from pm_orchestrator.testing.benches.side_by_side import begin_together
from pm_orchestrator.testing.memory.fake_clock import FakeClock
from pm_orchestrator.testing.scripted.demo_replies import REPLIES, scripted
from pm_orchestrator.testing.scripted.fake_executors import FixedExecutors, SuccessFake
from pm_orchestrator.testing.scripted.scripted_answers import ScriptedAnswers

pytestmark = pytest.mark.timeout(90)


async def opened(tmp_path: Path, clock: Clock | None = None, **blocks: object) -> Project:
    """A project with these settings, read as every project's are."""
    project = tmp_path / "project"
    project.mkdir()
    await init_at(project, adopt=False)
    settings = replace(default_settings(), **blocks)
    (project / ".claude" / "settings.json").write_bytes(to_file(settings))
    variables = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "XDG_STATE_HOME": str(tmp_path)}
    return await open_project(read_environment(variables), project, clock)


async def test_an_executor_gets_its_time_and_its_silence(tmp_path: Path) -> None:
    app = await opened(
        tmp_path,
        task_limits=TaskLimitSettings(seconds=77),
        timeouts=Timeouts(operation_timeout_seconds=11),
    )
    fake = SuccessFake("README.md")
    app.executors = FixedExecutors(fake)
    await run_task(app, "Create README.md")
    assert [(task.timeout_s, task.silence_s) for task in fake.tasks] == [(77.0, 11.0)]


@pytest.mark.parametrize("seconds", [1, 4])
async def test_a_lock_is_waited_for_as_long_as_the_settings_say(
    tmp_path: Path, seconds: int
) -> None:
    """R-12 Deadlock: who waits for what never comes is stopped, and says so."""
    clock = FakeClock()
    app = await opened(tmp_path, clock, timeouts=Timeouts(deadlock_timeout_seconds=seconds))
    path, began = tmp_path / "held", clock.monotonic()
    async with LocalFiles(SystemClock()).exclusive(path):
        with pytest.raises(PmError) as stuck:
            async with app.files.exclusive(path):
                pass
    assert stuck.value.code == "E402"
    assert seconds <= clock.monotonic() - began < seconds + 0.5


async def test_a_gate_has_the_time_of_the_settings(tmp_path: Path) -> None:
    app = await opened(tmp_path, gates=GateSettings(test=("sleep", "50"), timeout_seconds=1))
    app.executors = FixedExecutors(SuccessFake("calc.py", "x = 1\n"))
    began = time.monotonic()
    end = await run_task(app, "Create calc.py")
    assert end.status is TaskStatus.INCOMPLETE
    assert time.monotonic() - began < 20


@pytest.mark.parametrize(("program", "status"), [("true", "COMPLETE"), ("false", "INCOMPLETE")])
async def test_a_build_of_the_settings_is_the_one_that_runs(
    tmp_path: Path, program: str, status: str
) -> None:
    app = await opened(tmp_path, gates=GateSettings(build=(program,)))
    app.executors = FixedExecutors(SuccessFake("README.md"))
    assert (await run_task(app, "ビルドを実行して")).status == status


@pytest.fixture
def specs(monkeypatch: pytest.MonkeyPatch) -> list[SandboxSpec]:
    """Every sandbox that was asked for."""
    seen: list[SandboxSpec] = []
    real = BwrapRuntime.open

    async def open_and_tell(self: BwrapRuntime, spec: SandboxSpec) -> Sandbox:
        seen.append(spec)
        return await real(self, spec)

    monkeypatch.setattr(BwrapRuntime, "open", open_and_tell)
    return seen


async def company(site: Site, settings: CompanySettings) -> tuple[RunResult, ScriptedAnswers]:
    site.app.settings = replace(site.app.settings, company=settings)
    source = ScriptedAnswers(scripted(REPLIES))
    site.app.crews = lambda project, _, options: CompanyCrew(project, options, source)
    return await run_task(site.app, INSTRUCTION, way="company"), source


@pytest.mark.long
async def test_a_company_works_with_its_settings(
    tmp_path: Path, specs: list[SandboxSpec], monkeypatch: pytest.MonkeyPatch
) -> None:
    begin_together(monkeypatch, 2)  # so there are two; who ends which is chance
    site = await open_site(tmp_path)
    site.app.settings = replace(
        site.app.settings, sandbox=SandboxSettings(memory_mb=300, disk_mb=70, cpus=2)
    )
    end, source = await company(site, CompanySettings(max_workers=2, model="named"))
    assert end.status is TaskStatus.COMPLETE
    assert {question.request.model for question in source.asked} == {"named"}
    assert {item.agent_id for item in end.work} <= {"worker-1", "worker-2"}
    wanted = {(spec.memory_bytes >> 20, spec.disk_bytes >> 20, spec.cpus) for spec in specs[2:]}
    assert wanted - {(2048, 1, None)} == {(300, 70, 2)}, "but for the probes"


@pytest.mark.parametrize(("turns", "done"), [pytest.param(30, 2, marks=pytest.mark.long), (1, 0)])
async def test_a_company_tries_no_longer_than_it_may(tmp_path: Path, turns: int, done: int) -> None:
    # One of three claims too early and would need a second attempt; none needs one turn only.
    settings = CompanySettings(max_attempts=1, max_turns=turns)
    end, _ = await company(await open_site(tmp_path), settings)
    assert end.status is not TaskStatus.COMPLETE
    assert [item.status for item in end.work].count("success") == done
