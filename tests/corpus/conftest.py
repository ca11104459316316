"""Cases of the corpus before the real program, each in a project of its own."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from pm_orchestrator.testing.corpus.projects import ProjectMaker, start_repository
from pm_orchestrator.testing.corpus.toolchain import make_toolchain, search_path
from pm_orchestrator.testing.corpus.trial import Court
from pm_orchestrator.testing.programs.called_program import Program, clean_environment
from pm_orchestrator.testing.scripted.scripted_company import ScriptedCompany


@pytest.fixture(scope="session")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_toolchain(tmp_path_factory.mktemp("user") / "tools")


@pytest.fixture(scope="session")
def project_maker(tmp_path_factory: pytest.TempPathFactory, tools: Path) -> ProjectMaker:
    place = tmp_path_factory.mktemp("made")
    root = place / "project"
    start_repository(root)
    environment = {"PATH": os.environ["PATH"], "HOME": str(place), "GIT_CONFIG_GLOBAL": "/dev/null"}
    assert Program(place, environment)("init", "--project", str(root)).code == 0
    return ProjectMaker(root, search_path(tools))


@pytest.fixture
def court(tmp_path: Path, tools: Path, project_maker: ProjectMaker) -> Court:
    for name in ("home", "tmp"):
        (tmp_path / name).mkdir()
    environment = clean_environment(tmp_path / "home", tmp_path / "tmp")
    return Court(Program(tmp_path, environment), project_maker, tools, tmp_path)


@pytest.fixture
def company() -> Iterator[ScriptedCompany]:
    with ScriptedCompany() as running:
        yield running
