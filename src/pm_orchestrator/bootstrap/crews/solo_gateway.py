"""The gateway before a solo task's model: a model of ours, or that of a CLI with a vendor key."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from msgspec.structs import replace
from typing_extensions import override

from pm_orchestrator.adapters.gateway.answers import AnswerSource
from pm_orchestrator.adapters.gateway.cassette import check_place, load_cassette
from pm_orchestrator.bootstrap.environment import Environment, read_environment
from pm_orchestrator.bootstrap.registry import MODELS
from pm_orchestrator.bootstrap.traffic.gateway_source import (
    answers,
    new_gateway,
    put_into_cassette,
    recording_of,
)
from pm_orchestrator.ports.executor import Executor, ExecutorResult, ExecutorTask
from pm_orchestrator.ports.gateway import ModelGateway
from pm_orchestrator.runner.project.project import Project

AGENT = "solo"
"""The executor's name at the gateway."""


class SoloTape:
    """The cassette of one task: what it is answered from, or what it is recorded into."""

    def __init__(self, project: Project, replay: Path | None, record: Path | None) -> None:
        """Look at once whether it can be used.

        Raises:
            PmError: E604 when it cannot.
        """
        self._project = project
        self._replay = replay
        self._record = record
        self._folder = project.paths.state / f"recording-{project.ids.token(8)}"
        if replay is not None:
            load_cassette(replay)
        if record is not None:
            check_place(record)

    async def source(self, environment: Environment, adapter: str) -> AnswerSource:
        """Where the answers come from."""
        project = self._project
        source = answers(environment, [adapter], self._replay, project.settings.model_calls)
        if self._record is None:
            return source
        return await recording_of(source, project, self._folder)

    async def put(self) -> None:
        """Save the recording; to be called when nobody looks at the project any more."""
        if self._record is None:
            return
        project = self._project
        await put_into_cassette(project, self._folder, self._record)
        names = project.own_files.names(self._folder)
        await project.own_files.remove([self._folder / name for name in names])


@asynccontextmanager
async def solo_gateway(
    project: Project, adapter: str, task: ExecutorTask, tape: SoloTape | None = None
) -> AsyncGenerator[ModelGateway]:
    """A gateway of one task's own; the key goes no further."""
    environment, traffic = read_environment(project.variables), task.traffic
    tape = tape or SoloTape(project, None, None)
    source = await tape.source(environment, adapter)
    gateway = new_gateway(source, project.ids, traffic.exchanged if traffic else None)
    await gateway.start()
    try:
        yield gateway
    finally:
        await gateway.close()


class MeteredExecutor(Executor):
    """A coding CLI that finds the gateway and a throw-away token where the vendor's were."""

    def __init__(self, project: Project, vendor: str, inner: Executor) -> None:
        self._project = project
        self._vendor = vendor
        self._inner = inner

    @property
    @override
    def name(self) -> str:
        return self._inner.name

    @override
    async def problem(self) -> str | None:
        return await self._inner.problem()

    @override
    async def execute(self, task: ExecutorTask) -> ExecutorResult:
        upstream = MODELS.load(self._vendor).upstream
        async with solo_gateway(self._project, self._vendor, task) as gateway:
            access = gateway.admit(AGENT, self._vendor)
            found = {upstream.url_variable: access.base_url, upstream.key_variable: access.token}
            lent = {name: value for name, value in found.items() if name is not None}
            return await self._inner.execute(replace(task, variables={**task.variables, **lent}))
