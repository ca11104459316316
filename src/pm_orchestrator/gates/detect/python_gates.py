"""The checks of a Python project, by what its settings ask for."""

import re
from typing import Any, cast

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.gates.detect.base_tree import Argv, BaseTree, Offer, text_in

PYPROJECT = "pyproject.toml"
ENVIRONMENTS = (".venv/bin/", "venv/bin/")
"""Of the project itself; what is installed there comes before what the system has."""
OWN_SETTINGS = ("pytest.ini", ".pytest.ini", "conftest.py", "tests/conftest.py", "test/conftest.py")
"""Whose being there says that pytest is meant."""
SECTIONS = {"setup.cfg": "tool:pytest", "tox.ini": "pytest"}
REQUIREMENTS = LatePattern(
    r"(?:.*[-_.])?requirements(?:[-_.].*)?\.(?:txt|in)|Pipfile", needs="requirements pipfile"
)
ASKED_LINE = LatePattern(r"(?mi)^\s*[\"']?pytest(?![\w.-])")


def by_python(*arguments: str) -> tuple[Argv, ...]:
    """A module run by the project's own Python, or else by the system's."""
    return (*((f"{folder}python", *arguments) for folder in ENVIRONMENTS), ("python3", *arguments))


def by_program(*argv: str) -> tuple[Argv, ...]:
    """A program as the project has it installed, or else the system's."""
    return (*((f"{folder}{argv[0]}", *argv[1:]) for folder in ENVIRONMENTS), argv)


async def pyproject_offers(base: BaseTree) -> list[Offer]:
    """What `pyproject.toml` sets up or depends on.

    Raises:
        PmError: E104 when it cannot be read.
    """
    content = await base.read_base(PYPROJECT)
    if content is None:
        return []
    import tomllib

    try:
        table: dict[str, Any] = tomllib.loads(content.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise PmError("config_schema", path=PYPROJECT, reason=error) from error
    tools = _table(table.get("tool"))
    found: list[Offer] = []
    if "ruff" in tools:
        found.append(Offer("lint", PYPROJECT, by_program("ruff", "check", "."), by_settings=True))
    if "pytest" in tools or _asks_for(table, "pytest"):
        found.append(Offer("test", PYPROJECT, by_python("-m", "pytest")))
    return found


async def pytest_offers(base: BaseTree) -> list[Offer]:
    """pytest, where its settings or a list of requirements name it."""
    source = await _asking(base)
    return [] if source is None else [Offer("test", source, by_python("-m", "pytest"))]


async def _asking(base: BaseTree) -> str | None:
    for name in OWN_SETTINGS:
        if await base.read_base(name) is not None:
            return name
    for name, section in SECTIONS.items():
        text = await text_in(base, name)
        if text is not None and re.search(rf"(?m)^\[{section}\]", text):
            return name
    for folder in ("", "requirements/"):
        for name in await base.names_in(folder):
            if REQUIREMENTS.fullmatch(name) or (folder and name.endswith((".txt", ".in"))):
                text = await text_in(base, folder + name)
                if text is not None and ASKED_LINE.search(text):
                    return folder + name
    return None


def _asks_for(pyproject: dict[str, Any], package: str) -> bool:
    """Whether a package stands in any list of dependencies."""
    project = _table(pyproject.get("project"))
    lists: list[Any] = [
        project.get("dependencies"),
        *_table(project.get("optional-dependencies")).values(),
        *_table(pyproject.get("dependency-groups")).values(),
    ]
    names = (entry for some in lists if isinstance(some, list) for entry in cast("list[Any]", some))
    # `pytest-cov` is another package.
    named = re.compile(rf"\s*{re.escape(package)}(?![\w.-])", re.IGNORECASE)
    if any(isinstance(name, str) and named.match(name) for name in names):
        return True
    poetry = _table(_table(pyproject.get("tool")).get("poetry"))
    groups = (_table(group) for group in _table(poetry.get("group")).values())
    tables = (poetry.get("dev-dependencies"), *(group.get("dependencies") for group in groups))
    return any(package in _table(table) for table in tables)


def _table(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
