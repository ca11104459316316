"""Whether a coding CLI can be a company's worker, found out before anything is asked."""

import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from pm_orchestrator.bootstrap.crews.company_workers import CompanyWorkers
from pm_orchestrator.bootstrap.doctor.isolation import workers
from pm_orchestrator.bootstrap.doctor.surroundings import Surroundings, surroundings_at
from pm_orchestrator.bootstrap.environment import read_environment
from pm_orchestrator.bootstrap.sandboxing.ready_sandbox import ready_runtime
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.setup.settings import CompanySettings, default_settings
from pm_orchestrator.ports.sandbox import SandboxSpec

CLAUDE = "#!/bin/sh\necho '2.0.1 (Claude Code)'\n"
NAME = "claude-code"


def here(folder: Path, path: str, executor: str = "tool-loop") -> Surroundings:
    """A machine on which the search path is this one, and the home elsewhere."""
    given = {"PATH": path, "HOME": str(folder / "home"), "TMPDIR": str(folder)}
    found = surroundings_at(read_environment(given), folder / "project", "en")
    company = CompanySettings(executor=executor)
    return replace(found, settings=replace(default_settings(), company=company))


@pytest.fixture
def without(tmp_path: Path) -> str:
    (tmp_path / "project").mkdir()
    (tmp_path / "home").mkdir()
    folders = os.environ["PATH"].split(os.pathsep)
    return os.pathsep.join(f for f in folders if not Path(f, "claude").exists())


@pytest.fixture
def installed(tmp_path: Path, without: str) -> str:
    """Where npm would put it: a program that is a link to another place."""
    real, folder = tmp_path / "lib/claude/bin", tmp_path / "shims-of-npm"
    real.mkdir(parents=True)
    folder.mkdir()
    (real / "claude.exe").write_text(CLAUDE, "utf-8")
    (real / "claude.exe").chmod(0o755)
    (folder / "claude").symlink_to("../lib/claude/bin/claude.exe")
    return f"{folder}{os.pathsep}{without}"


@pytest.mark.parametrize(("chosen", "level"), [("tool-loop", "note"), (NAME, "problem")])
async def test_doctor_misses_only_the_one_that_is_chosen(
    tmp_path: Path, without: str, chosen: str, level: str
) -> None:
    (found,) = await workers(here(tmp_path, without, chosen))
    assert (found.check, found.level) == (f"worker {NAME}", level)
    assert "@anthropic-ai/claude-code" in (found.cure or "")


async def test_one_that_starts_in_a_sandbox_is_ready(tmp_path: Path, installed: str) -> None:
    (found,) = await workers(here(tmp_path, installed, NAME))
    assert found.level == "ok"
    assert "2.0.1 (Claude Code)" in found.finding


async def test_one_that_cannot_be_seen_in_there_is_not(tmp_path: Path, without: str) -> None:
    # Beside what is the user's own, nothing is shown to a worker.
    (tmp_path / "home/claude").write_text(CLAUDE, "utf-8")
    (tmp_path / "home/claude").chmod(0o755)
    path = f"{tmp_path / 'home'}{os.pathsep}{without}"
    (found,) = await workers(here(tmp_path, path, NAME))
    assert found.level == "problem"
    assert "not in a sandbox" in found.finding


async def test_it_has_to_speak_as_the_companys_model_does(tmp_path: Path, installed: str) -> None:
    found = here(tmp_path, installed)
    runtime = await ready_runtime(found.chosen, found.site)
    await CompanyWorkers(NAME, found.site).check("anthropic", runtime)
    with pytest.raises(PmError, match="E503") as refused:
        await CompanyWorkers(NAME, found.site).check("openai", runtime)
    assert "`--adapter anthropic`" in refused.value.hint()
    await CompanyWorkers("tool-loop", found.site).check("openai", runtime)


def test_what_is_no_worker_is_refused_with_those_there_are(tmp_path: Path, without: str) -> None:
    with pytest.raises(PmError, match="E503") as refused:
        CompanyWorkers("nobody", here(tmp_path, without).site)
    assert "tool-loop, claude-code" in refused.value.hint()


def test_the_tool_loop_needs_nothing_more(tmp_path: Path, installed: str) -> None:
    spec = SandboxSpec(name="s")
    assert CompanyWorkers("tool-loop", here(tmp_path, installed).site).spec(spec) is spec
