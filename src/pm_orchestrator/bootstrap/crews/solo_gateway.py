"""The gateway before a solo task's model: a model of ours, or that of a CLI with a vendor key."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from msgspec.structs import replace
from typing_extensions import override

from pm_orchestrator.bootstrap.crews.gateway_source import answers, new_gateway
from pm_orchestrator.bootstrap.environment import read_environment
from pm_orchestrator.bootstrap.registry import MODELS
from pm_orchestrator.ports.executor import Executor, ExecutorResult, ExecutorTask
from pm_orchestrator.ports.gateway import ModelGateway
from pm_orchestrator.runner.project.project import Project

AGENT = "solo"
"""The executor's name at the gateway."""


@asynccontextmanager
async def solo_gateway(
    project: Project, adapter: str, task: ExecutorTask
) -> AsyncGenerator[ModelGateway]:
    """A gateway of one task's own; the key goes no further."""
    environment, traffic = read_environment(project.variables), task.traffic
    source = answers(environment, [adapter], None, project.settings.models)
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
