"""What the workers of a company are: the tool loop, or a coding CLI in their sandboxes.

Either is an executor with the sandbox for its hands. A coding CLI comes into the sandbox
read-only, with a home that is made for the attempt, and asks its model through the one port
that leads out: to the gateway, with a token that is worth nothing anywhere else or later.
"""

from collections.abc import Callable
from pathlib import Path

from msgspec.structs import replace
from typing_extensions import override

from pm_orchestrator.adapters.sandboxes.prepared.host_tools import UserPath, host_tools
from pm_orchestrator.agents.tool_loop import NAME as TOOL_LOOP, ToolLoop
from pm_orchestrator.bootstrap.environment import read_environment, users_own
from pm_orchestrator.bootstrap.registry import EXECUTORS
from pm_orchestrator.bootstrap.shipped_models import room_of
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.setup.settings import ExecutorSettings
from pm_orchestrator.ports.adapter import AdapterSite
from pm_orchestrator.ports.chat_model import ChatModel
from pm_orchestrator.ports.executor import Executor, ExecutorConfig, ExecutorResult, ExecutorTask
from pm_orchestrator.ports.gateway import Access, ModelGateway
from pm_orchestrator.ports.sandbox import ForwardedPort, HostDirectory, SandboxRuntime, SandboxSpec

PORT = 4180
"""Of the sandbox's own loopback; below those that programs are given by the system."""
INSIDE = f"http://127.0.0.1:{PORT}"
GIT_NAMES = {"NAME": "pm-orchestrator agent", "EMAIL": "agent@localhost"}
"""Whoever has tools of its own commits by them."""
VERSION_S = 30.0
NOBODY = Access(base_url=INSIDE, token="")


def coding_clis() -> tuple[str, ...]:
    """Executors that can work in sandboxes, with tools of their own."""
    made = {name: EXECUTORS.load(name) for name in EXECUTORS.names}
    return tuple(n for n, each in made.items() if each.vendor and each.needs.programs)


class CompanyWorkers:
    """Makes the executors of one company."""

    def __init__(self, name: str, site: AdapterSite) -> None:
        """Choose by the name of an executor.

        Raises:
            PmError: E503 for one that does not work in sandboxes.
        """
        names = (TOOL_LOOP, *coding_clis())
        if name not in names:
            known = ", ".join(names)
            raise PmError("worker_unknown", executor=name, known=known)
        self._name = name
        self._site = site

    def executor(
        self, agent: str, gateway: ModelGateway, model_for: Callable[[str], ChatModel]
    ) -> Executor:
        """One for a single attempt, in the name of which it asks its model."""
        if self._name == TOOL_LOOP:
            return ToolLoop(model_for(agent), self._site.clock, room_of)
        token = gateway.admit(agent, EXECUTORS.load(self._name).vendor or "").token
        return GatewayCli(self._cli(Access(base_url=INSIDE, token=token)), agent, gateway)

    def spec(self, spec: SandboxSpec, gateway: ModelGateway | None = None) -> SandboxSpec:
        """The sandbox that it works in: with its programs, and the way to the gateway."""
        if self._name == TOOL_LOOP:
            return spec
        environment = read_environment(users_own(self._site.variables, self._site.project))
        folders = environment.search_path.split(":")
        user = UserPath(
            folders=tuple(Path(folder) for folder in folders if folder.startswith("/")),
            home=environment.home,
            variables=environment.variables,
            own=(self._site.project, environment.state_home),
        )
        tools = host_tools(frozenset(EXECUTORS.load(self._name).needs.programs), user)
        there = {each.at for each in spec.directories}
        more = (
            HostDirectory(source=place, at=str(place), writable=writable)
            for place, writable in tools.places.items()
            if str(place) not in there
        )
        names = {
            f"GIT_{who}_{k}": v for who in ("AUTHOR", "COMMITTER") for k, v in GIT_NAMES.items()
        }
        return replace(
            spec,
            directories=(*spec.directories, *more),
            programs=tuple(dict.fromkeys((*spec.programs, *tools.folders))),
            variables={**tools.variables, **spec.variables, **names},
            forwarded=None if gateway is None else ForwardedPort(port=PORT, to=gateway.port),
        )

    async def check(self, adapter: str, runtime: SandboxRuntime) -> None:
        """See that it can work, before anything is asked.

        Raises:
            PmError: E503 with the cure.
        """
        if self._name == TOOL_LOOP:
            return
        factory = EXECUTORS.load(self._name)
        if factory.vendor != adapter:
            params = {"executor": self._name, "speaks": factory.vendor, "adapter": adapter}
            raise PmError("worker_speaks_other", **params)
        await self._start(factory.needs.programs[0], runtime)

    async def version(self, runtime: SandboxRuntime) -> str:
        """What it says of itself in a sandbox.

        Raises:
            PmError: E503 with the cure where it does not start there.
        """
        return await self._start(EXECUTORS.load(self._name).needs.programs[0], runtime)

    async def _start(self, program: str, runtime: SandboxRuntime) -> str:
        cure = await self._cli(NOBODY).problem()
        if cure is not None:
            reason = f"there is no `{program}` on PATH"
            raise PmError("executor_invalid", executor=self._name, reason=reason, cure=cure)
        sandbox = await runtime.open(self.spec(SandboxSpec(name="worker-check")))
        try:
            said = await sandbox.run((program, "--version"), timeout_s=VERSION_S)
        except PmError as error:
            if error.slug != "program_not_started":
                raise
            raise PmError("worker_not_seen", executor=self._name, program=program) from error
        finally:
            await sandbox.close()
        if said.exit_code != 0:
            raise PmError("worker_not_seen", executor=self._name, program=program)
        return said.stdout.decode(errors="replace").strip()

    def _cli(self, access: Access) -> Executor:
        config = ExecutorConfig(
            settings=ExecutorSettings(name=self._name),
            variables=self._site.variables,
            clock=self._site.clock,
            confined=access,
        )
        return EXECUTORS.load(self._name).create(config)


class GatewayCli(Executor):
    """A coding CLI behind the gateway: that its model is out of order is no claim of its own."""

    def __init__(self, inner: Executor, agent: str, gateway: ModelGateway) -> None:
        self._inner = inner
        self._agent = agent
        self._gateway = gateway

    @property
    @override
    def name(self) -> str:
        return self._inner.name

    @property
    @override
    def brings_tools(self) -> bool:
        return self._inner.brings_tools

    @override
    async def problem(self) -> str | None:
        return await self._inner.problem()

    @override
    async def execute(self, task: ExecutorTask) -> ExecutorResult:
        result = await self._inner.execute(task)
        failure = self._gateway.failure(self._agent)
        if result.claim.kind == "failed" and failure is not None:
            raise failure
        return result
