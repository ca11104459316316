"""`git.log` has one form in every kind of run: each line is one JSON object."""

from pathlib import Path

import msgspec
import pytest

from pm_orchestrator.adapters.git.command import GitLogLine
from pm_orchestrator.domain.record import to_json
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.evidence.records.run_log import RunLogs
from pm_orchestrator.runner.tasks.run_task import run_task
from pm_orchestrator.testing.benches.sample_site import Site, open_site
from pm_orchestrator.testing.memory.fake_clock import FrozenClock
from pm_orchestrator.testing.scripted.demo_replies import first_parts
from pm_orchestrator.testing.scripted.fake_executors import FixedExecutors, SuccessFake

pytestmark = pytest.mark.timeout(90)


@pytest.fixture
async def site(tmp_path: Path) -> Site:
    return await open_site(tmp_path)


def git_lines(site: Site) -> list[GitLogLine]:
    runs = (site.root / ".pm-orchestrator" / "runtime" / "runs").glob("*/git.log")
    lines = [line for path in runs for line in path.read_bytes().splitlines()]
    return [msgspec.json.decode(line, type=GitLogLine, strict=True) for line in lines]


@pytest.mark.long
async def test_a_company_run_writes_objects(site: Site) -> None:
    """E-7: every git operation has its line."""
    await site.run(first_parts(1))
    assert {"push", "fetch"} <= {line.argv[1] for line in git_lines(site)}


async def test_a_solo_task_writes_objects(site: Site) -> None:
    site.app.executors = FixedExecutors(SuccessFake("made.md"))
    await run_task(site.app, "create made.md")
    assert "add" in {line.argv[1] for line in git_lines(site)}


async def test_masking_does_not_break_the_form(tmp_path: Path) -> None:
    secret = "gh" + "p_" + "aB3dE5fG7hJ9" * 3
    argv = ("git", "commit-tree", "-m", "PASSWORD=", secret, '"token": "', 'x\n"\u2028y')
    line = GitLogLine(
        timestamp="2026-01-15T09:00:00.000Z",
        repository="/somewhere",
        argv=argv,
        exit_code=0,
        duration_ms=1,
    )
    logs = RunLogs(tmp_path, Masker(), FrozenClock())
    await logs.json_line("git.log", to_json(line).decode())
    (written,) = (tmp_path / "git.log").read_bytes().splitlines()
    found = msgspec.json.decode(written, type=GitLogLine, strict=True)
    assert found.argv == (*argv[:4], "[MASKED:GITHUB_TOKEN]", *argv[5:])
