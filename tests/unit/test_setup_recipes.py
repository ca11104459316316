"""Which commands install what a project's lock files ask for."""

import pytest

from pm_orchestrator.gates.detect.setup_recipes import setup_recipe
from pm_orchestrator.testing.memory.memory_place import MemoryPlace


def base(*names: str) -> MemoryPlace:
    return MemoryPlace({name: name.encode() for name in names}, {})


PIP = "python3 -m venv .venv && .venv/bin/pip install"


@pytest.mark.parametrize(
    ("names", "commands"),
    [
        (("uv.lock", "requirements.txt"), ("uv sync --frozen",)),
        (("requirements.txt",), (f"{PIP} -r requirements.txt",)),
        (
            ("requirements-dev.txt", "requirements.txt", "constraints.txt"),
            (f"{PIP} -r requirements-dev.txt -r requirements.txt",),
        ),
        (("requirements/test.txt", "requirements/docs.txt"), (f"{PIP} -r requirements/test.txt",)),
        (("constraints.txt",), ()),
        (("package-lock.json", "package.json"), ("npm ci --no-audit --no-fund",)),
        (("package.json", "pyproject.toml", "README.md"), ()),
        (
            ("poetry.lock", "yarn.lock", "go.mod", "go.sum", "Cargo.lock"),
            (
                "poetry install --no-interaction",
                "yarn install --frozen-lockfile",
                "go mod download",
                "cargo fetch --locked",
            ),
        ),
        (
            ("Gemfile.lock", "composer.lock"),
            ("bundle install", "composer install --no-interaction"),
        ),
        (("pom.xml",), ("mvn --batch-mode --quiet dependency:go-offline",)),
    ],
)
async def test_each_lock_file_has_its_command(
    names: tuple[str, ...], commands: tuple[str, ...]
) -> None:
    found = await setup_recipe(base(*names), None, "/w")
    assert (() if found is None else found.commands) == commands


async def test_what_is_fetched_stays_below_the_project() -> None:
    found = await setup_recipe(base("go.sum", "Cargo.lock", "pom.xml", "Gemfile.lock"), None, "/w")
    assert found is not None
    assert found.variables == {
        "BUNDLE_PATH": "vendor/bundle",
        "CARGO_HOME": "/w/.pm-layer/cargo",
        "GOFLAGS": "-modcacherw",
        "GOMODCACHE": "/w/.pm-layer/go",
        "MAVEN_OPTS": "-Dmaven.repo.local=/w/.pm-layer/maven",
    }


async def test_a_person_may_name_the_commands() -> None:
    tree = base("requirements.txt", "constraints.txt", "uv.lock", "notes.md")
    found = await setup_recipe(tree, ("make deps",), "/w")
    assert found is not None
    assert (found.commands, found.by_settings) == (("make deps",), True)
    # Whatever may tell them what to install counts.
    assert set(found.files) == {"requirements.txt", "constraints.txt", "uv.lock"}
    assert await setup_recipe(tree, (), "/w") is None


async def test_a_layer_is_another_when_a_list_says_something_else() -> None:
    one = await setup_recipe(MemoryPlace({"requirements.txt": b"a==1"}, {}), None, "/w")
    other = await setup_recipe(MemoryPlace({"requirements.txt": b"a==2"}, {}), None, "/w")
    assert one is not None
    assert other is not None
    assert one.files != other.files
    assert one.commands == other.commands
