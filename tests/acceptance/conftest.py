"""Running the program as a user would: a process of its own, a home of its own."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from pm_orchestrator.testing.benches.calc_parts import calc_project
from pm_orchestrator.testing.benches.company_bench import CompanyBench
from pm_orchestrator.testing.programs.called_program import Program, clean_environment
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript
from pm_orchestrator.testing.scripted.scripted_company import ScriptedCompany


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def environment(home: Path, tmp_path: Path, request: pytest.FixtureRequest) -> dict[str, str]:
    """A clean environment; what the program leaves in its temporary directory can be seen."""
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    # Measuring a process doubles its time, and a long list of agents goes one way.
    measured = request.node.get_closest_marker("unmeasured") is None
    kept = {k: v for k, v in os.environ.items() if k.startswith("COV") and measured}
    return {**kept, **clean_environment(home, temporary)}


@pytest.fixture
def program(environment: dict[str, str], tmp_path: Path) -> Program:
    return Program(tmp_path, environment)


@pytest.fixture
def claude(tmp_path: Path) -> ClaudeScript:
    return ClaudeScript(tmp_path / "claude-bin")


@pytest.fixture
def company() -> Iterator[ScriptedCompany]:
    with ScriptedCompany() as running:
        yield running


@pytest.fixture(scope="session")
def made_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An initialised project with one commit and no gates, made once and copied for each test."""
    place = tmp_path_factory.mktemp("made")
    root = place / "project"
    root.mkdir()
    (root / "notes.md").write_text("# Notes\n", encoding="utf-8")
    environment = {"PATH": os.environ["PATH"], "HOME": str(place), "GIT_CONFIG_GLOBAL": "/dev/null"}
    git = ["git", "-c", "user.name=T", "-c", "user.email=t@localhost"]
    for arguments in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", "Start"]):
        subprocess.run([*git, *arguments], cwd=root, check=True, env=environment)
    assert Program(place, environment)("init", "--project", str(root)).code == 0
    return root


@pytest.fixture
def project(tmp_path: Path, made_project: Path) -> Path:
    """A project of the test's own."""
    return shutil.copytree(made_project, tmp_path / "project", symlinks=True)


@pytest.fixture
def bench(program: Program, project: Path, company: ScriptedCompany) -> CompanyBench:
    """A small package with one test, and a company that works on it."""
    calc_project(project)
    return CompanyBench(program, project, company)
