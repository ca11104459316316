"""The programs work is done with: Python, git, coding CLIs."""

import platform
import re
import shutil
import sys

from pm_orchestrator.bootstrap.doctor.models_there import known_models
from pm_orchestrator.bootstrap.doctor.surroundings import Finding, Surroundings
from pm_orchestrator.bootstrap.logins import LOGINS, login_in_sight
from pm_orchestrator.bootstrap.registry import EXECUTORS, MODELS
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.ports.executor import ExecutorConfig

LEAST_PYTHON = (3, 11)
LEAST_GIT = (2, 38)
"""Since then `git merge-tree` can merge without a working tree."""
CODING_CLIS = ("claude", "codex", "gemini", "opencode")


async def python(surroundings: Surroundings) -> list[Finding]:
    """The interpreter we run on."""
    version = platform.python_version()
    if sys.version_info[:2] < LEAST_PYTHON:
        least = _dotted(LEAST_PYTHON)
        return [surroundings.found("python", "problem", "python_old", version=version, least=least)]
    return [surroundings.found("python", "ok", "python", version=version, path=sys.executable)]


async def git(surroundings: Surroundings) -> list[Finding]:
    """Git, without which nothing is saved and nothing is delivered."""
    path = shutil.which("git", path=surroundings.environment.search_path)
    if path is None:
        return [surroundings.found("git", "problem", "git_missing")]
    well, said = await surroundings.first_line(path, "--version")
    number = re.search(r"(\d+)\.(\d+)[.\w]*", said)
    if not well or number is None:
        return [
            surroundings.found("git", "problem", "cli_broken", path=path, name="git", reason=said)
        ]
    if (int(number[1]), int(number[2])) < LEAST_GIT:
        params = {"version": number[0], "path": path, "least": _dotted(LEAST_GIT)}
        return [surroundings.found("git", "problem", "git_old", **params)]
    return [surroundings.found("git", "ok", "git", version=number[0], path=path)]


def coding_cli(name: str) -> "_CodingCli":
    """The check of one coding CLI; having none of them may be fine."""
    return _CodingCli(name)


class _CodingCli:
    def __init__(self, name: str) -> None:
        self._name = name

    async def __call__(self, surroundings: Surroundings) -> list[Finding]:
        path = shutil.which(self._name, path=surroundings.environment.search_path)
        if path is None:
            return [surroundings.found(self._name, "note", "cli_missing")]
        try:
            well, said = await surroundings.first_line(path, "--version")
        except PmError as error:
            well, said = False, error.what(surroundings.lang)
        if not well:
            params = {"path": path, "name": self._name, "reason": said or "?"}
            return [surroundings.found(self._name, "note", "cli_broken", **params)]
        return [surroundings.found(self._name, "ok", "cli", version=said, path=path)]


async def ways_to_work(surroundings: Surroundings) -> list[Finding]:
    """Whether anything here can carry out an instruction at all."""
    variables, chosen = surroundings.environment.variables, surroundings.chosen
    config = ExecutorConfig(settings=chosen.executor, variables=variables, clock=surroundings.clock)
    problem = await EXECUTORS.load(chosen.executor.name).create(config).problem()
    upstream = MODELS.load(chosen.company.adapter).upstream
    ways: list[str] = []
    login = await missing_login(surroundings) if problem is None else None
    if problem is None and login is None:
        ways.append(chosen.executor.name)
    if upstream.is_ready(variables) and await _is_there(surroundings, chosen.company.adapter):
        ways.append(f"{chosen.company.adapter} API")
    if login is not None:
        params = {
            "executor": chosen.executor.name,
            "login": login,
            "variable": upstream.key_variable,
        }
        return [surroundings.found("executor", "note" if ways else "problem", "no_login", **params)]
    if not ways:
        params = {
            "executor": chosen.executor.name,
            "variable": upstream.key_variable,
            "cure": problem,
        }
        return [surroundings.found("executor", "problem", "no_way_to_work", **params)]
    return [surroundings.found("executor", "ok", "way_to_work", ways=", ".join(ways))]


async def _is_there(surroundings: Surroundings, adapter: str) -> bool:
    """A key is taken for a way to work; who needs none has to answer."""
    if MODELS.load(adapter).upstream.key_variable is not None:
        return True
    try:
        await known_models(surroundings, adapter)
    except PmError:
        # Why, the check of the vendors says.
        return False
    return True


async def missing_login(surroundings: Surroundings) -> str | None:
    """How to log in, where the executor itself says that nobody is; None where it may work."""
    login = LOGINS.get(surroundings.chosen.executor.name)
    if login is None or login_in_sight(login, surroundings.environment, surroundings.paths):
        return None
    answer = await surroundings.run(login.program, *login.asks)
    # One that does not know the question may be logged in all the same.
    return login.command if login.denied(answer.stdout) else None


def _dotted(version: tuple[int, int]) -> str:
    return f"{version[0]}.{version[1]}"
