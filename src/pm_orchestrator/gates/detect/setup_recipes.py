"""What the lock files of a project ask to be installed, and the commands that do it.

They are run once for a lock file, in a sandbox that may reach the network; what they leave is
seen by every later sandbox, which may not. So each keeps what it fetches below the project: in
the folder where its tools look anyway, or in one of ours that a variable names.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping

import msgspec

from pm_orchestrator.gates.detect.base_tree import BaseTree

KEPT = ".pm-layer"
"""A folder of ours at the top of the project inside of a sandbox, for what has no other place."""
REQUIREMENTS = re.compile(r"(?:[\w.-]*requirements[\w.-]*|constraints[\w.-]*)\.txt")
INSTALLED = re.compile(r"(?:[\w-]*[-_])?requirements(?:[-_](?:dev|test|tests|lint|ci))?\.txt")
"""Lists that are installed; the others are named by them, or for somebody else."""
IN_FOLDER = ("base.txt", "dev.txt", "test.txt", "tests.txt", "lint.txt", "ci.txt")
PYTHON = {
    "uv.lock": "uv sync --frozen",
    "poetry.lock": "poetry install --no-interaction",
    "pdm.lock": "pdm sync",
    "Pipfile.lock": "pipenv sync --dev",
}
NODE = {
    "pnpm-lock.yaml": "pnpm install --frozen-lockfile",
    "yarn.lock": "yarn install --frozen-lockfile",
    "bun.lock": "bun install --frozen-lockfile",
    "bun.lockb": "bun install --frozen-lockfile",
    "package-lock.json": "npm ci --no-audit --no-fund",
    "npm-shrinkwrap.json": "npm ci --no-audit --no-fund",
}
OTHERS = (
    {"Gemfile.lock": "bundle install"},
    {"go.sum": "go mod download"},
    {"Cargo.lock": "cargo fetch --locked"},
    {"pom.xml": "mvn --batch-mode --quiet dependency:go-offline"},
    {"composer.lock": "composer install --no-interaction"},
)
VARIABLES = {
    "uv.lock": {"UV_LINK_MODE": "copy", "UV_PYTHON_PREFERENCE": "only-system"},
    "poetry.lock": {"POETRY_VIRTUALENVS_IN_PROJECT": "1"},
    "Pipfile.lock": {"PIPENV_VENV_IN_PROJECT": "1"},
    "Gemfile.lock": {"BUNDLE_PATH": "vendor/bundle"},
    "go.sum": {"GOMODCACHE": "{kept}/go", "GOFLAGS": "-modcacherw"},
    "Cargo.lock": {"CARGO_HOME": "{kept}/cargo"},
    "pom.xml": {"MAVEN_OPTS": "-Dmaven.repo.local={kept}/maven"},
}
"""What the tools have to be told, while they fetch and afterwards."""
LOCKS = frozenset({*PYTHON, *NODE, *(name for ways in OTHERS for name in ways), "go.mod"})


class SetupRecipe(msgspec.Struct, frozen=True, kw_only=True):
    """How what a project needs is installed, and by which of its files."""

    commands: tuple[str, ...]
    """For a shell, at the top of the project."""
    files: Mapping[str, str]
    """The files that say what is installed, with their digests."""
    variables: Mapping[str, str]
    by_settings: bool = False
    """Whether a person has written the commands."""


async def setup_recipe(
    base: BaseTree, configured: tuple[str, ...] | None, workspace: str
) -> SetupRecipe | None:
    """The one of a project that lies at `workspace` there; None where it needs nothing."""
    names = frozenset(await base.names_in(""))
    lists = sorted(name for name in names if REQUIREMENTS.fullmatch(name))
    if "requirements/" in names:
        found = await base.names_in("requirements/")
        lists += [f"requirements/{name}" for name in sorted(found) if name.endswith(".txt")]
    if configured is None:
        commands, speaking = _found(names, lists)
    else:
        commands, speaking = configured, {*lists, *(names & LOCKS)}
    if not commands:
        return None
    kept = f"{workspace}/{KEPT}"
    digests: dict[str, str] = {}
    for name in sorted(speaking):
        content = await base.read_base(name)
        digests[name] = "" if content is None else hashlib.sha256(content).hexdigest()
    return SetupRecipe(
        commands=commands,
        files=digests,
        variables={
            variable: value.format(kept=kept)
            for name in sorted(speaking)
            for variable, value in VARIABLES.get(name, {}).items()
        },
        by_settings=configured is not None,
    )


def _found(names: frozenset[str], lists: Iterable[str]) -> tuple[tuple[str, ...], set[str]]:
    """The commands, of each kind the first whose file is there, and those files."""
    commands: list[str] = []
    speaking: set[str] = set()
    python = next((name for name in PYTHON if name in names), None)
    wanted = [name for name in lists if _is_installed(name)]
    if python is None and wanted:
        options = " ".join(f"-r {name}" for name in wanted)
        commands.append(f"python3 -m venv .venv && .venv/bin/pip install {options}")
        speaking |= set(lists)
    for ways in (PYTHON, NODE, *OTHERS):
        lock = next((name for name in ways if name in names), None)
        if lock is not None:
            commands.append(ways[lock])
            speaking.add(lock)
    return tuple(commands), speaking


def _is_installed(name: str) -> bool:
    folder, _, last = name.rpartition("/")
    return last in IN_FOLDER if folder else INSTALLED.fullmatch(last) is not None
