"""What a person wants to know where they begin: the repository, who does the work, the checks.

Nothing is changed by looking, and the directory need not be a project yet.
"""

import asyncio
from collections.abc import Coroutine, Mapping
from functools import cached_property
from pathlib import Path
from typing import TypeVar

import msgspec
from typing_extensions import override

from pm_orchestrator.bootstrap.arrival.repository_around import git_of, repository_above
from pm_orchestrator.bootstrap.crews.solo_programs import can_be_run
from pm_orchestrator.bootstrap.doctor.programs import missing_login
from pm_orchestrator.bootstrap.doctor.surroundings import Surroundings, surroundings_at
from pm_orchestrator.bootstrap.environment import Environment, users_own
from pm_orchestrator.bootstrap.logins import LOGINS
from pm_orchestrator.bootstrap.registry import EXECUTORS
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.judging.gate import Gate
from pm_orchestrator.domain.text import Lang
from pm_orchestrator.evidence.look.plain_open import try_read
from pm_orchestrator.gates.detect.base_tree import Argv, BaseTree
from pm_orchestrator.gates.detect.detection import detect
from pm_orchestrator.ports.executor import ExecutorConfig

T = TypeVar("T")
PATIENCE_S = 5.0
"""Nobody waits longer for a greeting; what takes more time is left out of it."""


class FirstLook(msgspec.Struct, frozen=True, kw_only=True):
    """What was found. What could not be seen in time is None."""

    repository: Path | None = None
    """The top of the git repository around the directory."""
    branch: str | None = None
    executor: str
    version: str | None = None
    """What it says of itself."""
    cure: str | None = None
    """How it is to be had, where it cannot be used here."""
    login: str | None = None
    """The command that logs in, where nobody is."""
    gates: tuple[Gate, ...] | None = None


async def first_look(environment: Environment, root: Path, lang: Lang) -> FirstLook:
    """Look at everything at the same time, and no longer than anybody waits."""
    around = surroundings_at(environment, root, lang)
    repository = repository_above(root)
    async with asyncio.TaskGroup() as group:
        branch = group.create_task(_in_time(_branch(around)))
        seen = group.create_task(_in_time(_executor(around)))
        gates = group.create_task(_in_time(_gates(around)))
    version, cure, login = seen.result() or (None, None, None)
    return FirstLook(
        repository=repository,
        branch=branch.result() if repository is not None else None,
        executor=around.chosen.executor.name,
        version=version,
        cure=cure,
        login=login,
        gates=gates.result(),
    )


async def _branch(around: Surroundings) -> str | None:
    return await git_of(around.environment, around.paths.root).checkout(None).branch()


async def _executor(around: Surroundings) -> tuple[str | None, str | None, str | None]:
    """Its version, or how it is to be had, and how to log in."""
    name = around.chosen.executor.name
    config = ExecutorConfig(
        settings=around.chosen.executor, variables=around.environment.variables, clock=around.clock
    )
    cure = await EXECUTORS.load(name).create(config).problem()
    login = LOGINS.get(name)
    if cure is not None or login is None:
        return None, cure, None
    async with asyncio.TaskGroup() as group:
        called = group.create_task(around.first_line(login.program, "--version"))
        command = group.create_task(missing_login(around))
    well, said = called.result()
    return said if well else None, None, command.result()


async def _gates(around: Surroundings) -> tuple[Gate, ...]:
    return await detect(_Directory(around), around.chosen.gates)


async def _in_time(work: Coroutine[None, None, T]) -> T | None:
    try:
        async with asyncio.timeout(PATIENCE_S):
            return await work
    except (TimeoutError, PmError, ExceptionGroup):
        # It is a greeting; whoever needs it says what is wrong.
        return None


class _Directory(BaseTree):
    """The directory as it is, for whoever asks which checks it has."""

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._root = around.paths.root

    @cached_property
    def _variables(self) -> Mapping[str, str]:
        return users_own(self._around.environment.variables, self._root)

    @override
    async def read_base(self, path: str) -> bytes | None:
        return await asyncio.to_thread(try_read, self._root / path)

    @override
    async def names_in(self, folder: str) -> tuple[str, ...]:
        try:
            found = await asyncio.to_thread(lambda: sorted((self._root / folder).iterdir()))
        except OSError:
            return ()
        return tuple(f"{path.name}/" if path.is_dir() else path.name for path in found)

    @override
    async def can_run(self, argv: Argv) -> bool:
        return await can_be_run(self._around.commands, self._root, self._variables, argv)
