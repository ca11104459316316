"""What a check lacks where it is run, and the one command with which a project is prepared.

Read from what the tools print, and from the files that package managers leave: what each of
those installs lies in the checkout afterwards, and is seen in every sandbox.
"""

import re
from collections.abc import Mapping

import msgspec

from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.gates.detect.base_tree import BaseTree, text_in

PROGRAM_MISSING = (
    LatePattern(r"^(?:\S*/)?(?:sh|dash|bash): (?:line )?(?:\d+: )?(\S+): (?:command )?not found$"),
    LatePattern(r"^make(?:\[\d+\])?: (\S+): No such file or directory$"),
    LatePattern(r"^(?:\S*/)?env: [‘'\"]?([^‘'\"’:]+?)[’'\"]?: No such file or directory$"),
    LatePattern(r"^E901: (\S+) cannot be started: "),
)
MODULE_MISSING = (
    LatePattern(
        r"^(?:E +)?(?:ModuleNotFoundError: |\S*python[\d.]*: )No module named '?([\w.]+)'?$"
    ),
    LatePattern(r"^(?:\S+: )*Cannot find (?:module|package) '([^'.][^']*)'"),
)
PYTHON_WAYS = {
    "uv.lock": "uv sync",
    "poetry.lock": "POETRY_VIRTUALENVS_IN_PROJECT=1 poetry install",
    "pdm.lock": "pdm install",
    "Pipfile.lock": "PIPENV_VENV_IN_PROJECT=1 pipenv sync --dev",
    **{
        name: f"python3 -m venv .venv && .venv/bin/pip install -r {name}"
        for name in (
            *("requirements-dev.txt", "dev-requirements.txt", "requirements/dev.txt"),
            *("requirements-test.txt", "requirements/test.txt", "requirements.txt"),
        )
    },
    "pyproject.toml": "python3 -m venv .venv && .venv/bin/pip install -e .",
    "setup.py": "python3 -m venv .venv && .venv/bin/pip install -e .",
}
NODE_WAYS = {
    "pnpm-lock.yaml": "pnpm install --frozen-lockfile",
    "yarn.lock": "yarn install --frozen-lockfile",
    "bun.lock": "bun install --frozen-lockfile",
    "bun.lockb": "bun install --frozen-lockfile",
    "package-lock.json": "npm ci",
    "package.json": "npm install",
}
OTHER_WAYS = {
    "composer.lock": "composer install",
    "Gemfile.lock": "BUNDLE_PATH=vendor/bundle bundle install",
    "go.sum": "go mod vendor",
    "Cargo.lock": "cargo vendor",
}
ENVIRONMENTS = (".venv/", "venv/")
NODE_FOLDER = "node_modules/"


class Lacking(msgspec.Struct, frozen=True):
    """Something that is not there."""

    name: str
    is_module: bool


def lacking(output: str) -> Lacking | None:
    """What tools say is missing, the last thing they say of it; it is what made them stop."""
    for line in reversed(output.splitlines()):
        for patterns, is_module in ((PROGRAM_MISSING, False), (MODULE_MISSING, True)):
            found = (match for pattern in patterns if (match := pattern.match(line.strip())))
            match = next(found, None)
            if match is not None:
                return Lacking(match[1], is_module)
    return None


async def preparation(base: BaseTree, thing: Lacking) -> str | None:
    """The command with which the project gets it; None where no file of the project says so."""
    if thing.name.startswith(ENVIRONMENTS):
        return await _first(base, PYTHON_WAYS)
    if thing.name.startswith(NODE_FOLDER):
        return await _first(base, NODE_WAYS)
    return await _first(base, {**PYTHON_WAYS, **NODE_WAYS, **OTHER_WAYS}, thing.name)


async def is_declared(base: BaseTree, module: str) -> bool:
    """Whether the project says itself that it needs a module: it is none that it will write."""
    return await preparation(base, Lacking(module.partition(".")[0], is_module=True)) is not None


async def _first(base: BaseTree, ways: Mapping[str, str], name: str | None = None) -> str | None:
    """The first way whose file is there, and names what is missing."""
    for file, command in ways.items():
        text = await text_in(base, file)
        if text is not None and (name is None or _names(text, name)):
            return command
    return None


def _names(text: str, name: str) -> bool:
    """Whether a list of dependencies has it, as it is spelt there."""
    plain = re.escape(name.lower().replace("_", "-"))
    return re.search(rf"(?<![\w.-]){plain}(?![\w.-])", text.lower().replace("_", "-")) is not None
