"""Programs that came with the work are no gate's programs; and our own Python is not either."""

from pathlib import Path

import pytest

from pm_orchestrator.adapters.views.program_folders import ProgramFolders
from pm_orchestrator.bootstrap.environment import users_own


def put(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n", encoding="utf-8")
    return path


@pytest.fixture
def noted(tmp_path: Path) -> ProgramFolders:
    put(tmp_path / "usr/bin/make")
    put(tmp_path / "home/bin/tool")
    put(tmp_path / "project/node_modules/.bin/jest")
    path = f"{tmp_path}/home/bin:bin::{tmp_path}/later/bin:{tmp_path}/usr/bin"
    return ProgramFolders.of(tmp_path / "project", path)


def test_nothing_came(noted: ProgramFolders, tmp_path: Path) -> None:
    (tmp_path / "home/bin/tool").write_text("changed\n", encoding="utf-8")
    assert noted.newcomers() == ()


@pytest.mark.parametrize("place", ["home/bin/make", "home/bin/ruff", "later/bin/make"])
def test_what_came_outside_of_the_project(
    noted: ProgramFolders, tmp_path: Path, place: str
) -> None:
    new = put(tmp_path / place)
    assert noted.newcomers() == (new,)


@pytest.mark.parametrize("place", ["bin/make", "node_modules/.bin/make"])
def test_what_came_inside_before_another(noted: ProgramFolders, tmp_path: Path, place: str) -> None:
    new = put(tmp_path / "project" / place)
    assert noted.newcomers() == (new,)


def test_what_is_installed_in_the_project_is_honest_work(
    noted: ProgramFolders, tmp_path: Path
) -> None:
    put(tmp_path / "project/node_modules/.bin/vitest")
    put(tmp_path / "project/bin/own-script")
    assert noted.newcomers() == ()


@pytest.fixture
def prefix(tmp_path: Path) -> Path:
    """An environment into which only we were installed."""
    put(tmp_path / "tool/pyvenv.cfg")
    packages = tmp_path / "tool/lib/python3.11/site-packages"
    put(packages / "pm_orchestrator-1.0.dist-info/REQUESTED")
    put(packages / "pip-24.0.dist-info/REQUESTED")
    put(packages / "msgspec-0.18.dist-info/METADATA")
    return tmp_path / "tool"


def test_our_own_environment_is_not_the_users(prefix: Path, tmp_path: Path) -> None:
    given = {"PATH": f"{prefix}/bin:/usr/bin", "VIRTUAL_ENV": str(prefix), "PYTHONPATH": "x"}
    assert users_own(given, tmp_path / "project", prefix) == {
        "PATH": "/usr/bin",
        "PYTHONPATH": "x",
    }
    assert users_own({}, tmp_path / "project", prefix) == {}


def test_an_environment_with_more_in_it_is_the_users(prefix: Path, tmp_path: Path) -> None:
    given = {"PATH": f"{prefix}/bin:/usr/bin", "VIRTUAL_ENV": str(prefix)}
    assert users_own(given, tmp_path, prefix) == given, "it is the project's own"
    put(prefix / "lib/python3.11/site-packages/pytest-8.dist-info/REQUESTED")
    assert users_own(given, tmp_path / "project", prefix) == given


def test_another_environment_stays_as_it_is(prefix: Path, tmp_path: Path) -> None:
    given = {"PATH": "/home/me/venv/bin:/usr/bin", "VIRTUAL_ENV": "/home/me/venv"}
    assert users_own(given, tmp_path / "project", prefix) == given
